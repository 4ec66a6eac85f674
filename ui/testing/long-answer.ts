import type { Action } from './chat.ts'

const sentence = 'The model goes on and on with **plain** words of prose that nobody reads to their end. '
const words = sentence.match(/\S+\s/g) ?? []
const paragraph: Action = {
  repeat: 1,
  script: [...words.map((text) => ({ text })), ...words.map((text) => ({ text })), { text: '\n\n' }],
}

/** Prose of about 20,000 tokens */
export const prose: Action = { repeat: Math.ceil(20_000 / paragraph.script.length), script: paragraph.script }

/** Block of code of 12,000 tokens and 100 kB */
export const codeBlock: readonly Action[] = [
  { text: '```js\n' },
  { repeat: 6_000, script: [{ text: 'const abc =' }, { text: ' 1234\n' }] },
  { text: '```\n' },
]
