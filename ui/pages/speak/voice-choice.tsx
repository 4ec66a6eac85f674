import { useId } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'
import { voiceGroups } from './voices.ts'

interface VoiceChoiceProps {
  readonly model: string
  /** Names of the model's own voices */
  readonly voices: readonly string[]
  readonly value: string
  readonly onChange: (voice: string) => void
}

export function VoiceChoice({ model, voices, value, onChange }: VoiceChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.speak.voice}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {voiceGroups(model, voices).map((group) => (
          <optgroup key={group.label} label={group.label}>
            {group.voices.map((voice) => (
              <option key={voice} value={voice}>
                {voice}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}
