import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Playback of a recording. */
export interface Playback {
  readonly url: string | undefined
  readonly attach: (element: HTMLAudioElement | null) => void
  /** Position, updated on each frame while it plays. */
  readonly seconds: Signal<number>
  readonly isPlaying: boolean
  readonly isUnplayable: boolean
  readonly rate: number
  readonly setRate: (rate: number) => void
  readonly toggle: () => void
  /** Moves to a position without starting to play. */
  readonly seek: (seconds: number) => void
  readonly playFrom: (seconds: number) => void
}

export function usePlayback(file: File): Playback {
  const seconds = useSignal(0)
  const [url, setUrl] = useState<string>()
  const [isPlaying, setIsPlaying] = useState(false)
  const [isUnplayable, setIsUnplayable] = useState(false)
  const [rate, setRate] = useState(1)
  const element = useRef<HTMLAudioElement | null>(null)

  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])

  useEffect(() => {
    if (!isPlaying) return
    let frame = 0
    const show = () => {
      seconds.value = element.current?.currentTime ?? 0
      frame = requestAnimationFrame(show)
    }
    show()
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, seconds])

  const attach = (attached: HTMLAudioElement | null) => {
    element.current = attached
    if (attached === null) return
    attached.onplay = () => setIsPlaying(true)
    attached.onpause = () => setIsPlaying(false)
    attached.onerror = () => setIsUnplayable(true)
  }
  const seek = (at: number) => {
    seconds.value = at
    if (element.current !== null) element.current.currentTime = at
  }
  const play = () => {
    // play() rejects for files that the browser cannot play, which the element's error event reports too.
    void element.current?.play().catch(() => undefined)
  }
  return {
    ...{ url, attach, seconds, isPlaying, isUnplayable, rate, seek },
    setRate: (chosen) => {
      setRate(chosen)
      if (element.current !== null) element.current.playbackRate = chosen
    },
    toggle: () => (isPlaying ? element.current?.pause() : play()),
    playFrom: (at) => {
      seek(at)
      play()
    },
  }
}
