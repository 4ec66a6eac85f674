import { texts } from '../../texts/texts.ts'

/** Names that work with every model. */
export const commonVoices = [
  ...['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx'],
  ...['nova', 'sage', 'shimmer', 'verse', 'marin', 'cedar'],
] as const

export interface VoiceGroup {
  readonly label: string
  readonly voices: readonly string[]
}

/** The voices of a model in groups: by the common names, then by its own, where it has some. */
export function voiceGroups(model: string, own: readonly string[]): VoiceGroup[] {
  const groups = [
    { label: texts.speak.common, voices: commonVoices },
    { label: texts.speak.own(model), voices: own },
  ]
  return groups.filter(({ voices }) => voices.length > 0)
}
