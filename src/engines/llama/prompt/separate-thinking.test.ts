/** Formats whose parser leaves thinking in the text. `every-template.test.ts` asks it of all templates. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chatRequest } from '../../../testing/chat-request.ts'
import { readReply } from '../../../testing/read-reply.ts'
import { openTemplateModels, shippedTemplate, type TemplateModels } from '../../../testing/template-models.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { thinkingInPrompt } from './thinking.ts'

let models: TemplateModels

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

const answerSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const json = '{"a": 9}'
test.each(['LFM2-8B-A1B', 'LFM2.5-Instruct'])('thinking of %s is told apart, cut anywhere', async (template) => {
  const model = await models.load(shippedTemplate(template))
  const request = chatRequest({ answerSchema, reasoning: { mode: 'on' } })
  const { format } = await preparePrompt(model, request)
  const start = thinkingInPrompt(format) === 'open' ? '' : format.thinkingStartTag
  const answer = `${start}Hm. <b>${format.thinkingEndTags[0]}\n\n${json}`
  for (let at = 0; at <= answer.length; at++) {
    const reply = readReply(format, [answer.slice(0, at), answer.slice(at)])
    expect(reply).toEqual({ reasoning: 'Hm. <b>', text: json, calls: [] })
  }
  expect(readReply(format, [...answer.slice(0, start.length + 3)]).reasoning).toBe('Hm.')
})
