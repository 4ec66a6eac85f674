import { texts } from '../../texts/texts.ts'

const shownUrlCharacters = 60
const maximumCharacters = 256_000

/** Returns JSON as text with its data: URLs and long base64 strings cut. */
export function shortenedJson(value: object): string {
  return shortenedText(JSON.stringify(value, (_, inner) => (isFile(inner) ? shortenedFile(inner) : inner), 2))
}

/** Returns the beginning and the end of a text that is too long to show. */
export function shortenedText(text: string): string {
  if (text.length <= maximumCharacters) return text
  const half = maximumCharacters / 2
  const left = text.length - maximumCharacters
  return `${text.slice(0, half)}\n\n${texts.play.leftOut(left)}\n\n${text.slice(-half)}`
}

function isFile(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < 1_000) return false
  return value.startsWith('data:') || /^[\w+/=-]{1000}/.test(value)
}

function shortenedFile(text: string): string {
  return `${text.slice(0, shownUrlCharacters)}… ${texts.play.leftOut(text.length - shownUrlCharacters)}`
}
