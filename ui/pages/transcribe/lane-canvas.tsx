import { useLayoutEffect, useRef } from 'preact/hooks'
import { theme } from '../../theme/theme.ts'
import type { LaneProps } from './lanes.tsx'

/** Draws a lane of very many turns as a picture. A click plays from there. */
export function LaneCanvas({ speaker, turns, durationSeconds, playback }: LaneProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const shownTheme = theme.value

  useLayoutEffect(() => {
    const shown = canvas.current
    if (shown === null) return
    const draw = () => {
      const { clientWidth, clientHeight } = shown
      shown.width = Math.round(clientWidth * devicePixelRatio)
      shown.height = Math.round(clientHeight * devicePixelRatio)
      const context = shown.getContext('2d')
      if (context === null) return
      context.fillStyle = getComputedStyle(shown).color
      const scale = shown.width / Math.max(durationSeconds, 0.001)
      for (const turn of turns) {
        if (turn.speaker !== speaker) continue
        context.fillRect(turn.start * scale, 0, Math.max(1, (turn.end - turn.start) * scale), shown.height)
      }
    }
    const resized = new ResizeObserver(draw)
    resized.observe(shown)
    return () => resized.disconnect()
  }, [speaker, turns, durationSeconds, shownTheme])

  return (
    <canvas
      ref={canvas}
      onClick={({ offsetX, currentTarget }) =>
        playback.playFrom((offsetX / currentTarget.clientWidth) * durationSeconds)
      }
    />
  )
}
