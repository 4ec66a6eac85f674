/** Chat templates that never end, or that make too much or nothing, in real engines. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { type Question, startStarterEngine } from '../../testing/starter-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function startWith(jinja: string) {
  const file = join(folder, `${files++}.gguf`)
  writeFileSync(file, tinyGguf({ chatTemplate: { jinja } }))
  return startStarterEngine({}, {}, file)
}

/** What a template does when the last message is this word; with others it is like ChatML. */
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

test('a template that never ends with any conversation is not loaded', async () => {
  await expect(startWith(hostile.loops ?? '')).rejects.toThrow(
    'chat template is broken: rendering it does not end well',
  )
  await expect(startWith('{% for %}')).rejects.toThrow('chat template is broken')
}, 60_000)
