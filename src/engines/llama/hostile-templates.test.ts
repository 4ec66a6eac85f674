/** Chat templates that never end, or that make too much or nothing, in real engines. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { type Question, startStarterEngine } from '../../testing/starter-engine.ts'
import { openTemplateModels } from '../../testing/template-models.ts'
import { templateRemark } from './load-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-hostile-'))
const templates = await openTemplateModels()
afterAll(async () => {
  await templates.dispose()
  rmSync(folder, { recursive: true })
})

let files = 0
function startWith(jinja: string) {
  const file = join(folder, `${files++}.gguf`)
  writeFileSync(file, tinyGguf({ chatTemplate: jinja === 'none' ? 'none' : { jinja } }))
  return startStarterEngine({}, {}, file)
}

/** Template behaviour when the last message is this word; for other messages it is like ChatML. */
const hostile: Readonly<Record<string, string>> = {
  loops:
    '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}',
  selects: '{% for a in range(9999) %}{% for b in range(9999) if a == -1 %}{% endfor %}{% endfor %}',
  counts: '{% for a in range(1000000000000) %}{% endfor %}',
  renames: '{% set numbers = range %}{{ numbers(1000000000000) | length }}',
  recurses: '{% macro again(n) %}{{ again(n + 1) }}{% endmacro %}{{ again(1) }}',
  calls:
    '{% macro outer() %}{{ caller() }}{% endmacro %}{% macro inner() %}{% call outer() %}{{ inner() }}{% endcall %}{% endmacro %}{{ inner() }}',
  doubles:
    "{% set all = namespace(text='xxxxxxxxxxxxxxxx') %}{% for i in range(200) %}{% set all.text = all.text ~ all.text %}{% endfor %}",
  repeats: "{{ 'x' * 1000000000000 }}",
  blocks:
    "{% set all = namespace(text='xx') %}{% for i in range(200) %}{% set all.text %}{{ all.text }}{{ all.text }}{% endset %}{% endfor %}",
  prints: "{% set text = 'x' * 10000 %}{% for i in range(99999) %}{{ text }}{% endfor %}",
  empties: '',
}

const branches = Object.entries(hostile).map(
  ([word, jinja]) => `{% if messages[-1].content == '${word}' %}${jinja}{% else %}`,
)
const chatml =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n'
const { ask, send, count, cancel, refused, engine } = await startWith(
  `${branches.join('')}${chatml}${'{% endif %}'.repeat(branches.length)}`,
)
const plain: Question = { text: 'hello', maxTokens: 3 }

for (const word of Object.keys(hostile)) {
  test(`a template that ${word} is the request's error, and the engine goes on`, async () => {
    const error = await refused({ text: word })
    expect(error).toMatchObject({ kind: 'invalid_request', code: 'invalid_value', param: 'messages' })
    expect((await ask(plain)).finish).toEqual(['length'])
  }, 60_000)
}

test('rendering without end delays nobody else, and ends at once when it is cancelled', async () => {
  const ended: string[] = []
  const counted = count({ text: 'loops' }).then((end) => ended.push('code' in end ? end.code : 'counted'))
  const chat = send({ text: 'loops' })
  const beside = ask(plain).then(() => ended.push('answered'))
  cancel(chat.id)
  expect(await chat.ended).toMatchObject({ completionTokens: 0 })
  await Promise.all([counted, beside])
  expect(ended).toEqual(['answered', 'invalid_value'])
  expect(engine.stats()).toMatchObject({ running: 0, waiting: 0 })
}, 60_000)

test('an empty prompt has no tokens', async () => {
  expect(await count({ text: 'empties' })).toMatchObject([{ type: 'start', promptTokens: 0 }, { type: 'finish' }])
})

const broken: readonly (readonly [name: string, jinja: string, problem: string])[] = [
  ['never ends', hostile.loops ?? '', 'rendering it does not end well'],
  ['is no Jinja', '{% for %}', 'Unexpected token'],
  ['is of Ollama', '{{ if .System }}x{{ end }}', ''],
  ['is cut in the middle', chatml.slice(0, chatml.length / 2), ''],
  ['always raises', "{{ raise_exception('not today') }}", 'not today'],
  ['has an unknown filter', `{{ messages | frobnicate }}${chatml}`, 'frobnicate'],
  ['never shows what a user says', 'Hello! <|im_start|>assistant\n', 'does not show what a user says'],
  ['makes ten megabytes', `${'x'.repeat(10_000_000)}${chatml}`, 'rendering it does not end well'],
]

const withoutTemplate = await startWith('none')
const fallback = await withoutTemplate.count(plain)

test.each(broken)(
  'a template that %s is told of',
  async (_, jinja, problem) => {
    const remark = await templateRemark(await templates.load(jinja))
    expect(remark).toMatch(/^the model's chat template is broken \([^\n]+\), so chats use ChatML, /)
    expect(remark).toContain(problem)
  },
  120_000,
)

test.each(broken.slice(1, 5))(
  'a model whose template %s continues texts, and chats with ChatML',
  async (_, jinja) => {
    const { ask, count } = await startWith(jinja)
    expect((await ask(plain)).finish).toEqual(['length'])
    expect(await count(plain)).toEqual(fallback)
    const raw = { messages: [], prompts: [{ kind: 'text', text: 'hello', param: 'prompt' }], maxTokens: 3 } as const
    expect((await ask(raw)).finish).toEqual(['length'])
  },
  60_000,
)

test('a template that works, and a file without any, are no reason for a remark', async () => {
  expect(await templateRemark(await templates.load(chatml))).toBeUndefined()
  expect(await templateRemark(await templates.load(''))).toBeUndefined()
})
