import type { SpeechFinder } from './speech-finder.ts'

/** Returns one finder of several threads: each recording is searched by the thread that has the fewest open. Throws where there is none. */
export function shareFinders(finders: readonly SpeechFinder[]): SpeechFinder {
  const threads = finders.map((finder) => ({ finder, open: 0 }))
  return {
    open: (audio) => {
      const [first, ...others] = threads
      if (first === undefined) throw new Error('there is no thread that finds speech: this is a bug')
      const idlest = others.reduce((least, each) => (each.open < least.open ? each : least), first)
      const recording = idlest.finder.open(audio)
      idlest.open++
      let isOpen = true
      return {
        read: () => recording.read(),
        close: () => {
          if (isOpen) idlest.open--
          isOpen = false
          recording.close()
        },
      }
    },
  }
}
