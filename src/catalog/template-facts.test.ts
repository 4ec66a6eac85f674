import { expect, test } from 'bun:test'
import { readTemplate } from './template-facts.ts'

const nothing = { callsTools: false, reasoning: 'none' } as const

test.each<[name: string, template: string | undefined]>([
  ['no template', undefined],
  ['words in text', 'You have tools. {{ messages }} Call tool_calls with enable_thinking.'],
  ['words in comments', '{# tools, tool_calls and enable_thinking #}{{ messages }}'],
  ['words in strings', '{{ \'the tools\' ~ "with \\" tools" }}'],
  ['fields of other values', '{{ message.tools }}{{ settings.enable_thinking }}'],
  ["a template of Ollama's", '{{ if .Tools }}x{{ end }}'],
  ['a statement without end', '{% if tools'],
  ['many beginnings', '{#{%{{'.repeat(40_000)],
  ['many quotes', `{{${'\'"\\'.repeat(80_000)}}}`],
])('of %s nothing is known', (_, template) => {
  expect(readTemplate(template)).toEqual(nothing)
})

test.each<[template: string, facts: object]>([
  ['{% if tools %}{{ tools | tojson }}{% endif %}', { callsTools: true }],
  ["{{ message['tool_calls'] }}", { callsTools: true }],
  ['{{ messages }}{% if enable_thinking is defined %}{% endif %}', { reasoning: 'toggle' }],
  ['{{ reasoning_effort }}{{ enable_thinking }}', { reasoning: 'effort' }],
  ["{{ '<think>' }}", { reasoning: 'always' }],
  ['{{ message.reasoning_content }}', { reasoning: 'always' }],
])('%s', (template, facts) => {
  expect(readTemplate(template)).toEqual({ ...nothing, ...facts })
})
