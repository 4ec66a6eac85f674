import { RandomWords } from '../../../src/testing/gguf/random-words.ts'

/** Common words, each one token in the usual vocabularies after a space. */
const words = (
  'time year people way day man thing woman life child world school state family student group country problem hand ' +
  'part place case week company system program question work government number night point home water room mother area ' +
  'money story fact month lot right study book eye job word business issue side kind head house service friend father ' +
  'power hour game line end member law car city community name president team minute idea kid body information back'
).split(' ')

/**
 * Returns about `tokens` tokens of nonsense. Equal seeds give equal texts; different seeds differ from the first words
 * on.
 */
export function makePrompt(tokens: number, seed: number): string {
  const random = new RandomWords(seed)
  return Array.from({ length: tokens }, () => words[random.below(words.length)]).join(' ')
}
