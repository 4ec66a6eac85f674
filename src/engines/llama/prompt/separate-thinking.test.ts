/** Thinking never stands in an answer's text, whatever the template. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chatRequest } from '../../../testing/chat-request.ts'
import { readReply } from '../../../testing/read-reply.ts'
import {
  openTemplateModels,
  shippedTemplate,
  shippedTemplateNames,
  type TemplateModels,
} from '../../../testing/template-models.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { thinkingInPrompt } from './thinking.ts'

let models: TemplateModels

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

const answerSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const json = '{"a": 9}'
const parameters = { type: 'object', properties: {} }
const tools = [{ name: 'now', parameters }]

/** Its answers are messages with marks of their own, also behind the thinking. */
const marked = ['openai-gpt-oss-120b']

test.each(shippedTemplateNames().filter((name) => !marked.includes(name)))('%s', async (template) => {
  const model = await models.load(shippedTemplate(template))
  for (const offered of [[], tools]) {
    for (const reasoning of [{ mode: 'on' }, { mode: 'off' }, { effort: 'high' }] as const) {
      const request = chatRequest({ answerSchema, tools: offered, reasoning })
      const { format } = await preparePrompt(model, request)
      const { thinkingStartTag: start, thinkingEndTags } = format
      const [end] = thinkingEndTags
      const place = thinkingInPrompt(format)
      if (end === undefined || place === 'closed') continue
      const answer = `${place === 'open' ? '' : start}Hm.${end}\n\n${json}`
      for (const pieces of [[answer], [...answer]]) {
        const { text, calls } = readReply(format, pieces)
        expect({ text: text.trim(), calls }).toEqual({ text: json, calls: [] })
      }
      // Without thinking, all is text.
      if (place === 'none') expect(readReply(format, [...json]).text).toBe(json)
    }
  }
})

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
