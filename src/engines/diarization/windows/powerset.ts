/** Most local speakers of a window, which are bits of a byte. */
export const localSpeakers = 8

/**
 * Returns the speakers of each class of a powerset model as bits, speaker 0 the lowest: no speaker, each alone, then
 * the groups of two and more up to `maximumTogether`, each size in the order of its speakers.
 */
export function powersetMasks(speakerCount: number, maximumTogether: number): Uint8Array {
  const groups: number[][] = [[]]
  for (let first = 0; first < groups.length; first++) {
    const group = groups[first] ?? []
    if (group.length === maximumTogether) continue
    for (let speaker = (group.at(-1) ?? -1) + 1; speaker < speakerCount; speaker++) groups.push([...group, speaker])
  }
  return Uint8Array.from(groups, (group) => group.reduce((mask, speaker) => mask | (1 << speaker), 0))
}

/** Number of speakers in each set of bits. */
export const speakersInMask: Uint8Array = Uint8Array.from({ length: 256 }, (_, mask) => {
  let count = 0
  for (let rest = mask; rest > 0; rest &= rest - 1) count += 1
  return count
})
