import { texts } from '../texts/texts.ts'

/** Returns the reason why a text is no JSON, with the place if the browser reports it; undefined if it is JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return texts.shared.noJson(placeOf(error instanceof Error ? error.message : '', text))
  }
}

/** Returns the position of a mistake. Browsers report line and column, the position, or nothing. */
function placeOf(message: string, text: string): number | undefined {
  const line = /line (\d+) column/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length
}
