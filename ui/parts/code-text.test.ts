import { expect, test } from 'bun:test'
import { codeText, largeBody, pythonLiteral, shellQuoted } from './code-text.ts'

const context = { baseUrl: 'http://127.0.0.1:11500/v1' }

test('curl gets the body as it is, quotes included, and the key from the environment', () => {
  expect(codeText('curl', { path: '/chat/completions', body: { text: "it's" } }, context)).toBe(
    `curl http://127.0.0.1:11500/v1/chat/completions \\
  -H "Authorization: Bearer $INFERD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
  "text": "it'\\''s"
}'`,
  )
})

test('a path is one word of a command line, whatever characters it has', () => {
  const echoed = Bun.spawnSync(['sh', '-c', `printf %s ${shellQuoted("/media/it's $& $HOME")}`])
  expect(echoed.stdout.toString()).toBe("/media/it's $& $HOME")
})

test('a form has its file and one field for each item of a list', () => {
  const call = {
    path: '/audio/transcriptions',
    body: { model: 'm', words: ['a', 'b'] },
    file: { field: 'file', name: 'a, b.wav' },
  }
  expect(codeText('curl', call, { ...context, key: 'sk-1' })).toBe(
    `curl http://127.0.0.1:11500/v1/audio/transcriptions \\
  -H "Authorization: Bearer sk-1" \\
  -F 'model=m' \\
  -F 'words[]=a' \\
  -F 'words[]=b' \\
  -F 'file=@"a, b.wav"'`,
  )
})

test('Python has its own words for true, false and null', () => {
  expect(pythonLiteral({ a: true, b: null, c: [] })).toBe('{\n    "a": True,\n    "b": None,\n    "c": [],\n}')
})

test('an answer that is no text goes into a file', () => {
  const call = { path: '/audio/speech', body: {}, output: 'speech.mp3' }
  expect(codeText('curl', call, context)).toEndWith(" \\\n  -o 'speech.mp3'")
  expect(codeText('python', call, context)).toEndWith(
    'with open("speech.mp3", "wb") as file:\n    file.write(response.content)',
  )
  expect(codeText('javascript', call, context)).toEndWith('await writeFile("speech.mp3", response.body)')
})

test('a body that is too large for an argument is read from a here-document, and by programs from a file', () => {
  const call = { path: '/chat/completions', body: { text: 'a'.repeat(100_000) }, output: 'answer.json' }
  const curl = codeText('curl', call, context)
  expect(curl).toContain(` \\\n  --data-binary @- \\\n  -o 'answer.json' <<'END'\n{\n  "text": "aaa`)
  expect(curl).toEndWith('a"\n}\nEND\n')
  expect(largeBody(call)).toBe(JSON.stringify(call.body, null, 2))
  const python = codeText('python', call, context)
  expect(python).toContain('"Content-Type": "application/json"},\n    data=open("request.json", "rb"),\n)')
  const javascript = codeText('javascript', call, context)
  expect(javascript).toStartWith("import { readFile, writeFile } from 'node:fs/promises'\n")
  expect(javascript).toContain("  body: await readFile('request.json'),\n})")
  expect([python, javascript].map(({ length }) => length < 1_000)).toEqual([true, true])
})

test('a body that is not large stands in the code, and a form is never large', () => {
  expect(largeBody({ path: '/chat/completions', body: { text: 'a'.repeat(90_000) } })).toBeUndefined()
  const file = { field: 'file', name: 'a.wav' }
  expect(largeBody({ path: '/audio/transcriptions', body: { prompt: 'a'.repeat(100_000) }, file })).toBeUndefined()
})
