/** Request to the API that is shown as runnable code */
export interface ApiCall {
  /** Path below the base URL, such as `/chat/completions` */
  readonly path: string
  /** Body as JSON, or as a form if there is a file */
  readonly body: Readonly<Record<string, unknown>>
  /** Name of the body's file field, and of the file */
  readonly file?: { readonly field: string; readonly name: string }
  /** File for an answer that is not text */
  readonly output?: string
}

/** Returns a first request to the given model, by default the one that every server has. */
export function exampleCall(model: string | null | undefined): ApiCall {
  const messages = [{ role: 'user', content: 'Hello!' }]
  return { path: '/chat/completions', body: { model: model ?? 'inferd/starter-chat', messages } }
}

interface CodeContext {
  /** With /v1. */
  readonly baseUrl: string
  /** New secret to put into the code. Otherwise programs read it from INFERD_API_KEY. */
  readonly key?: string | undefined
}

/** File that holds a body too large for a program */
export const bodyFile = 'request.json'

/** Longest body within a program. An argument may have 128 kB, and people read no more between lines of code. */
const bodyLimitCharacters = 100_000

/** Returns the text of a body that is too large for a program, for example with pictures; undefined for others. */
export function largeBody({ body, file }: ApiCall): string | undefined {
  const json = file === undefined ? JSON.stringify(body, null, 2) : ''
  return json.length > bodyLimitCharacters ? json : undefined
}

export const codeLanguages = { curl: 'curl', python: 'Python', javascript: 'JavaScript' } as const
export type CodeLanguage = keyof typeof codeLanguages

export function codeText(language: CodeLanguage, call: ApiCall, context: CodeContext): string {
  return { curl: curlText, python: pythonText, javascript: javascriptText }[language](call, context)
}

function curlText(call: ApiCall, { baseUrl, key = '$INFERD_API_KEY' }: CodeContext): string {
  const { path, body, file, output } = call
  const large = largeBody(call)
  const data = large === undefined ? `-d ${shellQuoted(JSON.stringify(body, null, 2))}` : '--data-binary @-'
  const fields =
    file === undefined ? [] : formFields(body).map(([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`)
  const parts = [
    `curl ${baseUrl}${path}`,
    `-H "Authorization: Bearer ${key}"`,
    ...(file === undefined
      ? ['-H "Content-Type: application/json"', data]
      : [...fields, `-F ${shellQuoted(`${file.field}=@${curlName(file.name)}`)}`]),
    ...(output === undefined ? [] : [`-o ${shellQuoted(output)}`]),
  ]
  const command = parts.join(' \\\n  ')
  // The here-document's END never occurs as a line of JSON.
  return large === undefined ? command : `${command} <<'END'\n${large}\nEND\n`
}

/**
 * Returns a file name for curl, quoted if needed: curl reads options after a semicolon, and more files after a comma.
 */
function curlName(name: string): string {
  return /[;,"]/.test(name) ? JSON.stringify(name) : name
}

function pythonText(call: ApiCall, { baseUrl, key }: CodeContext): string {
  const { path, body, file, output } = call
  const isLarge = largeBody(call) !== undefined
  const secret = key === undefined ? 'os.environ["INFERD_API_KEY"]' : JSON.stringify(key)
  const type = isLarge ? ', "Content-Type": "application/json"' : ''
  const sent =
    file === undefined
      ? [isLarge ? `    data=open("${bodyFile}", "rb"),` : `    json=${pythonLiteral(body, 1)},`]
      : [
          `    data=${pythonLiteral(formFields(body), 1)},`,
          `    files={"${file.field}": open(${JSON.stringify(file.name)}, "rb")},`,
        ]
  return [
    ...(key === undefined ? ['import os', ''] : []),
    ...['import requests', '', 'response = requests.post('],
    ...[`    "${baseUrl}${path}",`, `    headers={"Authorization": "Bearer " + ${secret}${type}},`, ...sent, ')'],
    'response.raise_for_status()',
    output === undefined
      ? 'print(response.text)'
      : `with open(${JSON.stringify(output)}, "wb") as file:\n    file.write(response.content)`,
  ].join('\n')
}

function javascriptText(call: ApiCall, { baseUrl, key }: CodeContext): string {
  const { path, body, file, output } = call
  const isLarge = largeBody(call) !== undefined
  const secret = key === undefined ? `\${process.env.INFERD_API_KEY}` : key
  const form = [
    "import { openAsBlob } from 'node:fs'",
    '',
    'const form = new FormData()',
    `form.append('${file?.field}', await openAsBlob(${JSON.stringify(file?.name)}), ${JSON.stringify(file?.name)})`,
    ...formFields(body).map(([name, value]) => `form.append('${name}', ${JSON.stringify(value)})`),
    '',
  ]
  const headers = [`    Authorization: \`Bearer ${secret}\`,`]
  if (file === undefined) headers.push("    'Content-Type': 'application/json',")
  const json = isLarge ? '' : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
  const written = isLarge ? `await readFile('${bodyFile}')` : `JSON.stringify(${json})`
  const used = [...(isLarge ? ['readFile'] : []), ...(output === undefined ? [] : ['writeFile'])]
  return [
    ...(used.length === 0 ? [] : [`import { ${used.join(', ')} } from 'node:fs/promises'`, '']),
    ...(file === undefined ? [] : form),
    `const response = await fetch('${baseUrl}${path}', {`,
    ...["  method: 'POST',", '  headers: {', ...headers, '  },'],
    file === undefined ? `  body: ${written},` : '  body: form,',
    '})',
    output === undefined
      ? 'console.log(await response.text())'
      : `await writeFile(${JSON.stringify(output)}, response.body)`,
  ].join('\n')
}

/** Returns the fields of a form. A list becomes one field per item. */
function formFields(body: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(body).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item): [string, string] => [`${name}[]`, String(item)])
      : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
  )
}

/** Returns a text as one word of a shell's command line. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns a JSON value in Python's notation. */
export function pythonLiteral(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = '    '.repeat(depth + 1)
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return open + close
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${'    '.repeat(depth)}${close}`
}
