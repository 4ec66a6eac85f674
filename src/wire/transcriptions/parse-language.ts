import { languageCode } from '../../core/language-code.ts'
import { invalidValue } from '../check.ts'

/**
 * Returns the language's code, ISO 639-1 if it has one, from a code with or without a region or an English name.
 * Undefined if it is to be detected. Throws ApiError 400.
 */
export function parseLanguage(language: string): string | undefined {
  if (language.trim().toLowerCase() === 'auto') return undefined
  const code = languageCode(language)
  if (code === undefined) throw invalidValue('language', "an ISO 639-1 code such as 'en', or left out to be detected")
  return code
}
