import { announce } from '../../parts/announce.tsx'
import { texts } from '../../texts/texts.ts'
import { Lane, maximumElements, useTurnKeys } from './lanes.tsx'
import { labelOf, merge, nameOf, rename, type SpeakerEdits, shares } from './speakers.ts'
import type { Transcript, Turn } from './transcript.ts'
import type { Playback } from './use-playback.ts'

interface TimelineProps {
  readonly transcript: Transcript
  /** Turns after the edits. */
  readonly turns: readonly Turn[]
  readonly edits: SpeakerEdits
  readonly onEdit: (edits: SpeakerEdits) => void
  readonly playback: Playback
}

const colours = 8

/** Returns the number of a speaker's colour, which merges do not change. */
export function colourOf({ speakers }: Transcript, label: string): number {
  return (Math.max(0, speakers.indexOf(label)) % colours) + 1
}

/** Shows a lane for each speaker, with its editable name and its share of the speech. */
export function Timeline({ transcript, turns, edits, onEdit, playback }: TimelineProps) {
  const keys = useTurnKeys()
  const left = transcript.speakers.filter((label) => labelOf(edits, label) === label)
  const shareOf = shares(turns)
  const hasMerges = left.length < transcript.speakers.length
  return (
    <section class="stack tight">
      <h3>{texts.transcribe.timeline}</h3>
      {/* biome-ignore lint/a11y/useSemanticElements: these are no fields of a form. */}
      <div class="timeline" role="group" aria-label={texts.transcribe.timeline} {...keys}>
        {left.map((label) => {
          const share = `${Math.round((shareOf.get(label) ?? 0) * 100)} %`
          return (
            <div key={label} class="speaker-row">
              <div class="speaker">
                <input
                  class={`speaker-name series-${colourOf(transcript, label)}`}
                  aria-label={texts.transcribe.name(label)}
                  placeholder={label}
                  maxLength={100}
                  autoComplete="off"
                  value={edits.names[label] ?? ''}
                  onInput={({ currentTarget }) => onEdit(rename(edits, label, currentTarget.value))}
                />
                {left.length > 1 && (
                  <select
                    aria-label={texts.transcribe.mergeWith(nameOf(edits, label))}
                    value=""
                    onChange={({ currentTarget }) => {
                      const into = currentTarget.value
                      announce(texts.transcribe.merged(nameOf(edits, label), nameOf(edits, into)))
                      onEdit(merge(edits, label, into))
                    }}
                  >
                    <option value="">{texts.transcribe.mergeNone}</option>
                    {left
                      .filter((other) => other !== label)
                      .map((other) => (
                        <option key={other} value={other}>
                          {nameOf(edits, other)}
                        </option>
                      ))}
                  </select>
                )}
              </div>
              <Lane
                speaker={label}
                turns={turns}
                edits={edits}
                durationSeconds={transcript.durationSeconds}
                colour={colourOf(transcript, label)}
                playback={playback}
              />
              <span class="share number" title={texts.transcribe.lane(nameOf(edits, label), share)}>
                {share}
              </span>
            </div>
          )
        })}
      </div>
      <p class="hint">
        {texts.transcribe.timelineHint} {turns.length <= maximumElements && texts.transcribe.timelineKeys}{' '}
        {hasMerges && (
          <button type="button" class="small" onClick={() => onEdit({ ...edits, mergedInto: {} })}>
            {texts.transcribe.undoMerges}
          </button>
        )}
      </p>
    </section>
  )
}
