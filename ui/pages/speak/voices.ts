import { texts } from '../../texts/texts.ts'

/** Names that work with every model. */
export const commonVoices = [
  ...['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx'],
  ...['nova', 'sage', 'shimmer', 'verse', 'marin', 'cedar'],
] as const

interface VoiceGroup {
  readonly label: string
  readonly voices: readonly string[]
}

/** Returns the voices of a model in groups: the common names, then its own, if any. */
export function voiceGroups(model: string, own: readonly string[]): VoiceGroup[] {
  const groups = [
    { label: texts.speak.common, voices: commonVoices },
    { label: texts.speak.own(model), voices: own },
  ]
  return groups.filter(({ voices }) => voices.length > 0)
}
