/**
 * Servers accept the bodies sent to them: each example of docs/reference/fields.md, translated for each flavor, is
 * checked against its strict schema.
 */
import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../../../core/chat.ts'
import { ApiError } from '../../../../core/errors.ts'
import { placeImages } from '../../../../core/place-images.ts'
import { upstreamFlavors } from '../../../../core/upstream.ts'
import { plainBodies } from '../../../../testing/compatibility/plain-bodies.ts'
import { exampleSections } from '../../../../testing/compatibility/sections.ts'
import { bodyProblem } from '../../../../testing/upstream/check-body.ts'
import { chatBodies, messagesBodies, responsesBodies } from '../../../../testing/valid-bodies.ts'
import { dialects } from '../../../../wire/dialects.ts'
import { chatCalls } from './chat-calls.ts'

const parsers: Readonly<Record<string, (body: unknown) => { readonly request: ChatRequest }>> = {
  'chat/completions': (body) => dialects.chatCompletions.parse(body),
  completions: (body) => dialects.completions.parse(body),
  'fim/completions': (body) => dialects.fimCompletions.parse(body),
  responses: (body) => dialects.responses.parse(body),
  messages: (body) => dialects.messages.parse(body),
}

/** Returns the valid requests of this server's own dialects. */
function requests(): readonly ChatRequest[] {
  const examples = Object.values(exampleSections).flatMap(({ dialect, examples }) =>
    Object.values(examples).map(({ body }) => ({
      dialect: String(dialect),
      body: { ...plainBodies[dialect], ...body },
    })),
  )
  const valid = [
    ...chatBodies.map((body) => ({ dialect: 'chat/completions', body })),
    ...responsesBodies.map((body) => ({ dialect: 'responses', body })),
    ...messagesBodies.map((body) => ({ dialect: 'messages', body })),
  ]
  return [...examples, ...valid].flatMap(({ dialect, body }) => {
    try {
      const request = parsers[dialect]?.(structuredClone(body)).request
      return request === undefined ? [] : [withMedia(request)]
    } catch (error) {
      if (error instanceof ApiError) return []
      throw error
    }
  })
}

function withMedia(request: ChatRequest): ChatRequest {
  const sent = request.messages.flatMap(({ content }) => content.filter((part) => part.type === 'sent-image'))
  const size = { width: 1, height: 1, orientation: 1 }
  const images = sent.map(({ detail, param }) => ({
    type: 'image' as const,
    hash: '',
    path: '',
    detail,
    param,
    ...size,
  }))
  const documents = request.messages
    .flatMap(({ content }) => content.filter((part) => part.type === 'sent-document'))
    .map(() => [{ type: 'text' as const, text: 'A page.' }])
  const sounds = request.messages
    .flatMap(({ content }) => content.filter((part) => part.type === 'sent-sound'))
    .map(() => ({ type: 'text' as const, text: 'Hello.' }))
  return placeImages({ ...request, images, documents, sounds })
}

describe.each([...upstreamFlavors])('%s', (flavor) => {
  test('every request is one that the server takes, or is refused with its place', () => {
    let sent = 0
    const all = requests()
    for (const request of all) {
      try {
        const calls = chatCalls(request, {
          ...{ flavor, model: 'served', maxTokens: 100, cacheSalt: 'salt' },
          pictureUrl: () => 'data:image/png;base64,AA==',
        })
        expect(calls).toHaveLength(request.choices)
        for (const { path, body } of calls) {
          const problem = bodyProblem(flavor, path, body)
          expect({ body, problem }).toEqual({ body, problem: undefined })
        }
        sent++
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        expect(error.kind).toBe('invalid_request')
        expect(error.param).toBeString()
      }
    }
    expect(all.length).toBeGreaterThan(200)
    // Too many refusals would make the translation useless.
    expect(sent / all.length).toBeGreaterThan(0.85)
  })
})
