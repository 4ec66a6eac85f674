import type { RequestFailure } from '../../api/failure.ts'
import { texts } from '../../texts/texts.ts'

const shownCharacters = 80

interface AboutTextProps {
  readonly failure: RequestFailure | undefined
  readonly inputs: readonly string[]
}

/** Shows the text that an error is about, if the error names one such as `input[3]`. */
export function AboutText({ failure, inputs }: AboutTextProps) {
  const index = /^(?:input|documents)\[(\d+)\]/.exec(failure?.facts.param ?? '')?.[1]
  const text = index === undefined ? undefined : inputs[Number(index)]
  if (text === undefined) return null
  const start = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text
  return <p class="hint">{texts.search.aboutText(Number(index) + 1, start)}</p>
}
