import { languageCode } from '../../core/language-code.ts'
import { invalidValue } from '../check.ts'

/**
 * The code of the language, ISO 639-1 where that has one, of a code with or without a region or of an English name. Undefined
 * where it is to be detected. Throws ApiError 400.
 */
export function parseLanguage(language: string): string | undefined {
  if (language.trim().toLowerCase() === 'auto') return undefined
  const code = languageCode(language)
  if (code === undefined) throw invalidValue('language', "an ISO 639-1 code such as 'en', or left out to be detected")
  return code
}
