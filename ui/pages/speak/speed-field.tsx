import { useId } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'

const [slowest, fastest] = [0.25, 4]

/** Edits the speed of speech as a number or with a slider. */
export function SpeedField({
  value,
  onChange,
}: {
  readonly value: number
  readonly onChange: (speed: number) => void
}) {
  const id = useId()
  const change = (text: string) => {
    const speed = Number(text)
    if (speed >= slowest && speed <= fastest) onChange(speed)
  }
  return (
    <div class="field">
      <label for={id}>{texts.speak.speed}</label>
      <div class="row speed">
        <input
          id={id}
          type="number"
          min={slowest}
          max={fastest}
          step="any"
          value={value}
          onChange={({ currentTarget }) => {
            change(currentTarget.value)
            currentTarget.value = String(value)
          }}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <input
          type="range"
          aria-label={texts.speak.speedSlider}
          min={slowest}
          max={fastest}
          step={0.05}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </div>
    </div>
  )
}
