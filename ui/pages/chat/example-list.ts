/** Messages that show what a model can do. Pure. */
import { isTiny, type PlayModel } from '../../parts/play/play-models.ts'
import { texts } from '../../texts/texts.ts'

export interface Example {
  readonly text: string
  /** True if the message is about a picture that the page draws. */
  readonly hasPicture?: true
  /** Sample tool that the message needs */
  readonly tool?: 'get_weather'
}

const { examples } = texts.chat
const count = 4

/**
 * Returns four examples: first of what the model can beyond text. The tiny model gets questions that it was trained
 * to answer.
 */
export function examplesFor(model: Pick<PlayModel, 'id' | 'capabilities'>): readonly Example[] {
  const { vision, tools } = model.capabilities
  const words = isTiny(model) ? examples.tiny : examples.usual
  const all: Example[] = [
    ...(vision === true ? [{ text: examples.picture, hasPicture: true as const }] : []),
    ...(tools === true ? [{ text: examples.tool, tool: 'get_weather' as const }] : []),
    ...words.map((text) => ({ text })),
  ]
  return all.slice(0, count)
}
