import { texts } from '../texts/texts.ts'

/** Returns why a text is no JSON, with the place where the browser tells it; undefined if it is JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return texts.shared.noJson(placeOf(error instanceof Error ? error.message : '', text))
  }
}

/** Browsers name a place by line and column, by its position alone, or not at all. */
function placeOf(message: string, text: string): number | undefined {
  const line = /line (\d+) column/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length
}
