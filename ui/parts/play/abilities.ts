import { texts } from '../../texts/texts.ts'
import type { PlayModel } from './play-models.ts'

/** Returns what the model can beyond its type, in words, such as "sees pictures". */
export function abilitiesOf({ capabilities }: Pick<PlayModel, 'capabilities'>): string[] {
  const has = (name: string) => {
    const value = capabilities[name]
    return value !== undefined && value !== false && value !== 'none'
  }
  return Object.entries(texts.play.abilities).flatMap(([name, words]) => (has(name) ? [words] : []))
}
