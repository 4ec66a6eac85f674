/** Stock clients send documents in all three dialects: the model reads their text, and sees their pages if it can. */

import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { toDocx, toPptx, toXlsx } from '../testing/office-files.ts'
import { streamOf, toFile, toPdf } from '../testing/pdfs.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'
import { testedProgram } from '../testing/tested-program.ts'

const models = { 'test/sees': { manifest: { type: 'vision' } } } as const

const servers: TestServer[] = []
function serve(options: TestServerOptions = {}): TestServer {
  const server = startTestServer({ models, ...options })
  servers.push(server)
  return server
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.drained()
    expect(server.spooled()).toEqual([])
    await server[Symbol.asyncDispose]()
  }
})

const pdf = toPdf([{ lines: ['zebra'] }, { lines: ['second'] }, { lines: ['quincunx', '(brackets)'] }])
const data = pdf.toString('base64')
const url = `data:application/pdf;base64,${data}`
/** Text of the document as the model gets it. */
const pages = '[page 1]\nzebra\n[page 2]\nsecond\n[page 3]\nquincunx\n(brackets)'

function openaiOf(server: TestServer): OpenAI {
  return new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })
}

function anthropicOf(server: TestServer): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey: server.keys.valid, maxRetries: 0 })
}

interface Answer {
  readonly text: string
  readonly promptTokens: number | undefined
}

const askers = {
  'openai, chat': async (server, model) => {
    const { choices, usage } = await openaiOf(server).chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read:' },
            { type: 'file', file: { filename: 'a.pdf', file_data: url } },
            { type: 'text', text: 'Done.' },
          ],
        },
      ],
    })
    return { text: choices[0]?.message.content ?? '', promptTokens: usage?.prompt_tokens }
  },
  'openai, responses': async (server, model) => {
    const { output_text, usage } = await openaiOf(server).responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Read:' },
            { type: 'input_file', filename: 'a.pdf', file_data: url },
            { type: 'input_text', text: 'Done.' },
          ],
        },
      ],
    })
    return { text: output_text, promptTokens: usage?.input_tokens }
  },
  anthropic: async (server, model) => {
    const { content, usage } = await anthropicOf(server).messages.create({ ...messagesOf(model), max_tokens: 1000 })
    return {
      text: content.map((block) => ('text' in block ? block.text : '')).join(''),
      promptTokens: usage.input_tokens,
    }
  },
} satisfies Record<string, (server: TestServer, model: string) => Promise<Answer>>

function messagesOf(model: string): Pick<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'messages'> {
  const source = { type: 'base64', media_type: 'application/pdf', data } as const
  const document = { type: 'document', source, title: '[a.pdf]', citations: { enabled: true } } as const
  const content = [{ type: 'text' as const, text: 'Read:' }, document, { type: 'text' as const, text: 'Done.' }]
  return { model, messages: [{ role: 'user', content }] }
}

describe.each(Object.entries(askers))('%s', (_, ask) => {
  test('a model that reads gets the text of all pages', async () => {
    const { text } = await ask(serve(), 'fake')
    expect(text).toBe(`Read:\n[a.pdf]\n${pages}\nDone.`)
  })

  test('a model that sees gets a picture of each page after its text', async () => {
    const { text } = await ask(serve(), 'test/sees')
    const shown = text.replaceAll(/\[image 1108x1568 [0-9a-f]+\]/g, '<picture>')
    const expected = '[page 1]\nzebra<picture>[page 2]\nsecond<picture>[page 3]\nquincunx\n(brackets)<picture>'
    expect(shown).toBe(`Read:\n[a.pdf]\n${expected}Done.`)
  })
})

const vercel: Readonly<Record<string, (server: TestServer) => LanguageModel>> = {
  chat: ({ baseUrl, keys }) => createOpenAICompatible({ name: 'inferd', baseURL: baseUrl, apiKey: keys.valid })('fake'),
  responses: ({ baseUrl, keys }) => createOpenAI({ baseURL: baseUrl, apiKey: keys.valid })('fake'),
  messages: ({ baseUrl, keys }) => createAnthropic({ baseURL: baseUrl, apiKey: keys.valid })('fake'),
}

test.each(Object.entries(vercel))('the Vercel AI SDK sends a PDF by %s', async (_, modelOf) => {
  const { text } = await generateText({
    model: modelOf(serve()),
    maxRetries: 0,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read:' },
          { type: 'file', data: new Uint8Array(pdf), mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
    ],
  })
  expect(text).toEndWith(pages)
  expect(text).toContain('a.pdf')
})

test.each(Object.entries(vercel))('the Vercel AI SDK sends a PDF that a tool returned by %s', async (_, modelOf) => {
  const value = [
    { type: 'text' as const, text: 'Read:' },
    { type: 'file' as const, mediaType: 'application/pdf', filename: 'a.pdf', data: { type: 'data' as const, data } },
  ]
  const call = { toolCallId: 'c1', toolName: 'read' }
  const { text } = await generateText({
    model: modelOf(serve()),
    maxRetries: 0,
    messages: [
      { role: 'user', content: JSON.stringify({ script: [{ echoRequest: true }] }) },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'content', value } }] },
    ],
  })
  expect(text).toContain('quincunx')
})

test('counting tokens gives the same number as the prompt', async () => {
  const server = serve()
  const { promptTokens } = await askers.anthropic(server, 'test/sees')
  const counted = await anthropicOf(server).messages.countTokens(messagesOf('test/sees'))
  expect(counted.input_tokens).toBe(promptTokens ?? 0)
})

/** Sends one file by chat. */
async function send(server: TestServer, file: object, model = 'fake') {
  const content = [{ type: 'file', file }]
  const response = await server.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
  const answer = (await response.json()) as {
    choices?: { message: { content: string } }[]
    error?: { code: string; message: string; param: string }
  }
  return { status: response.status, text: answer.choices?.[0]?.message.content, error: answer.error }
}

function base64Of(text: string | Buffer): string {
  return Buffer.from(text).toString('base64')
}

test.each([
  ['csv', 'data:text/csv;base64,', 'a,b\r\n1,2\r\n', '[f.csv]\na,b\n1,2\n'],
  ['json of an unknown type', 'data:application/octet-stream;base64,', '{"a":1}', '[f.json]\n{"a":1}'],
  ['code without a data: URL', '', 'let a = "ü"', '[f.ts]\nlet a = "ü"'],
  ['UTF-16', 'data:text/plain;base64,', Buffer.from('\ufeffhé', 'utf16le'), '[f.txt]\nhé'],
  ['Windows’ alphabet', 'data:text/csv;base64,', Buffer.from('h\xe9', 'latin1'), '[f.csv]\nhé'],
])('%s is put in as text', async (_, head, content, expected) => {
  const filename = expected.slice(1, expected.indexOf(']'))
  const { text } = await send(serve(), { filename, file_data: head + base64Of(content) })
  expect(text).toBe(expected)
})

const scan = toPdf([{ lines: [], drawing: '0 0 1 rg 100 100 200 200 re f' }])

test.each([
  ['damaged base64', { file_data: 'data:application/pdf;base64,!!' }, 'invalid_document'],
  ['an empty file', { file_data: 'data:application/pdf;base64,' }, 'invalid_document'],
  ['a cut PDF', { file_data: base64Of(pdf.subarray(0, 200)) }, 'invalid_document'],
  [
    'an unknown type',
    { file_data: `data:application/x-foo;base64,${base64Of(Buffer.from([1, 0, 2]))}` },
    'unsupported_content',
  ],
  ['a scan for a model that only reads', { file_data: base64Of(scan) }, 'unsupported_content'],
  ['the id of a file', { file_id: 'file-1' }, 'unsupported_content'],
  ['no file', {}, 'missing_required_parameter'],
])('%s is refused', async (_, file, code) => {
  const { status, error } = await send(serve(), file)
  expect([status, error?.code]).toEqual([400, code])
  expect(error?.param).toStartWith('messages[0].content[0]')
})

test('a scan is shown to a model that sees', async () => {
  const { text } = await send(serve(), { file_data: base64Of(scan) }, 'test/sees')
  expect(text).toStartWith('[page 1][image 1108x1568 ')
})

test('in low detail only pages with little text are shown, whatever another request has asked', async () => {
  const server = serve()
  const mixed = base64Of(toPdf([{ lines: ['words '.repeat(12)] }, { lines: ['few'] }]))
  const pagesShown = async (detail: string) => {
    const file = { file_data: mixed, detail }
    return (await send(server, file, 'test/sees')).text?.match(/\[page \d\]|\[image/g)?.join('')
  }
  const all = '[page 1][image[page 2][image'
  for (const [detail, shown] of [
    ['high', all],
    ['low', '[page 1][page 2][image'],
    ['high', all],
  ] as const) {
    expect(await pagesShown(detail)).toBe(shown)
  }
})

test('the text of all documents of a request is limited together', async () => {
  const server = serve()
  const text = base64Of('x'.repeat(2_000_001))
  const office = base64Of(Buffer.from(toDocx(`<w:t>${'y'.repeat(2_000_000)}</w:t>`)))
  const refused = async (...files: string[]) => {
    const content = files.map((file_data) => ({ type: 'file', file: { file_data } }))
    const response = await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content }] })
    const { error } = (await response.json()) as { error?: { code: string; param: string } }
    return `${response.status} ${error?.code} ${error?.param}`
  }
  const second = '400 invalid_document messages[0].content[1]'
  expect(await refused(text, text)).toBe(second)
  expect(await refused(office, text)).toBe(second)
  expect(await refused(text, office)).toBe(second)
})

test('the address of a document is not followed', async () => {
  const body = {
    model: 'fake',
    input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.org/b.pdf' }] }],
  }
  const response = await serve().post('/v1/responses', body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_document_url', param: 'input[0].content[0]' } })
})

test('it is followed where the operator allows it', async () => {
  await using away = startAway(new Uint8Array(pdf))
  const server = serve({ documentUrls: { isAllowed: true, isPublic: (address) => address === '127.0.0.1' } })
  const openai = openaiOf(server)
  const ask = async (file_url: string) => {
    const content = [{ type: 'input_file' as const, file_url }]
    return await openai.responses.create({ model: 'fake', input: [{ role: 'user', content }] })
  }
  expect((await ask(away.url)).output_text).toBe(pages)
  await expect(ask(away.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toMatchObject({ code: 'invalid_document_url' })
})

/** Starts another server that has one file. */
function startAway(file: Uint8Array<ArrayBuffer>): { readonly url: string } & AsyncDisposable {
  const away = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(file) })
  return { url: `http://127.0.0.1:${away.port}/a.pdf`, [Symbol.asyncDispose]: () => away.stop(true) }
}

test.each([
  ['docx', toDocx('<w:p><w:r><w:t>quincunx</w:t></w:r></w:p>'), '[f.docx]\nquincunx'],
  ['xlsx', toXlsx({ One: '<row><c r="B1"><v>5</v></c></row>' }), '[f.xlsx]\n[sheet One]\n,5'],
  ['pptx', toPptx(['<a:p><a:r><a:t>quincunx</a:t></a:r></a:p>']), '[f.pptx]\n[slide 1]\nquincunx'],
])('%s is read as text', async (type, file, expected) => {
  const { text } = await send(serve(), { filename: `f.${type}`, file_data: base64Of(Buffer.from(file)) })
  expect(text).toBe(expected)
})

test('filled fields of a form are read after the text of their page', async () => {
  const field = '/Type /Annot /Subtype /Widget /FT /Tx /Rect [9 9 99 29]'
  const form = toFile([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R 6 0 R] >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Annots [5 0 R 6 0 R 7 0 R] >>',
    streamOf(''),
    `<< ${field} /T (City) /V <FEFF005A00FC0072006900630068> >>`,
    `<< ${field} /T (Empty) >>`,
    '<< /Type /Annot /Subtype /Square /Rect [9 9 99 29] /T (Author) /V (no field) >>',
  ])
  expect((await send(serve(), { file_data: base64Of(form) })).text).toBe('[page 1]\nCity: Zürich')
})

test('a document that is sent again is not read again, except for another account or model', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-reads-'))
  const path = join(folder, 'reads')
  const server = serve({
    documents: { command: ['/bin/sh', '-c', `echo >>'${path}'; exec "$@"`, 'sh', ...testedProgram] },
  })
  const other = server.payer(1_000_000_000).key
  const body = (model: string) => {
    return { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: url } }] }] }
  }
  const ask = async (model: string, key = server.keys.valid) => {
    const response = await server.post('/v1/chat/completions', body(model), { authorization: `Bearer ${key}` })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    return { text: choices[0]?.message.content, reads: readFileSync(path, 'utf8').length }
  }
  await anthropicOf(server).messages.countTokens(messagesOf('fake'))
  expect(await ask('fake')).toEqual({ text: pages, reads: 1 })
  const seen = await ask('test/sees')
  expect(seen.text).toContain('[image 1108x1568 ')
  expect(await ask('test/sees')).toEqual({ text: seen.text, reads: 2 })
  expect(await ask('fake', other)).toEqual({ text: pages, reads: 3 })
  expect(await ask('fake', server.payer(0).key)).toEqual({ text: pages, reads: 4 })
  expect(await ask('fake', server.payer(0).key)).toEqual({ text: pages, reads: 5 })
  const file = { type: 'file', file: { file_data: url } }
  const content = [{ type: 'file', file: { file_data: base64Of('before') } }, file, file]
  await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content }] })
  expect((await ask('fake')).reads).toBe(5)
  const both = server.payer(1_000_000_000).key
  await Promise.all([ask('fake', both), ask('fake', both)])
  expect((await ask('fake', both)).reads).toBe(6)
  rmSync(folder, { recursive: true })
})

test('a ninth document is refused', async () => {
  const parts = Array.from({ length: 9 }, () => ({ type: 'file', file: { file_data: url } }))
  const body = { model: 'fake', messages: [{ role: 'user', content: parts }] }
  const response = await serve().post('/v1/chat/completions', body)
  expect(await response.json()).toMatchObject({
    error: { code: 'too_many_documents', param: 'messages[0].content[8]' },
  })
})

/** Sends the results of a tool, each one file. Returns what the model got. */
async function sendResults(files: readonly Buffer[]) {
  const calls = files.map((_, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name: 'read', arguments: '{}' },
  }))
  const results = files.map((file, index) => {
    const content = [{ type: 'file', file: { file_data: base64Of(file) } }]
    return { role: 'tool', tool_call_id: `c${index}`, content }
  })
  const messages = [
    { role: 'user', content: JSON.stringify({ script: [{ echoRequest: true }] }) },
    { role: 'assistant', tool_calls: calls },
    ...results,
  ]
  const response = await serve().post('/v1/chat/completions', { model: 'fake', messages })
  const answer = (await response.json()) as { choices: { message: { content: string } }[] }
  return answer.choices[0]?.message.content ?? ''
}

test('pages of a document of a tool that is left out count neither as pictures nor as pages', async () => {
  const long = toPdf(Array.from({ length: 60 }, (_, index) => ({ lines: [`p${index + 1}`] })))
  const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })
  const result = (id: string) => {
    return { role: 'tool', tool_call_id: id, content: [{ type: 'file', file: { file_data: base64Of(long) } }] }
  }
  const messages = [
    { role: 'user', content: 'Read.' },
    { role: 'assistant', tool_calls: [call('a'), call('b')] },
    result('a'),
    result('b'),
    { role: 'user', content: [{ type: 'file', file: { file_data: url } }] },
  ]
  const response = await serve().post('/v1/chat/completions', { model: 'test/sees', messages })
  expect([response.status, response.headers.get('x-document-pages')]).toEqual([200, '63'])
  await response.text()
})

const omitted = '[document omitted: it cannot be read]'

test('a damaged document of a tool is a remark', async () => {
  const text = await sendResults([pdf.subarray(0, 200), pdf])
  expect(text).toContain(omitted)
  expect(text).toContain('quincunx')
})

test('of many documents of tools the newest eight are read', async () => {
  const text = await sendResults(Array.from({ length: 10 }, () => pdf))
  expect(text.split(omitted)).toHaveLength(3)
  expect(text.split('quincunx')).toHaveLength(9)
})
