import { Field } from '../../parts/field.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import type { TranscriptionFields } from './use-transcription.ts'

/** Options as typed. */
export interface Options {
  /** ISO 639-1 code. Empty detects the language. */
  readonly language: string
  /** True to get English. */
  readonly translates: boolean
  readonly hasSpeakers: boolean
  readonly minimum: string
  readonly maximum: string
}

interface OptionFieldsProps {
  readonly model: PlayModel
  /** Ids of the models that label speakers. */
  readonly labelling: readonly string[]
  readonly options: Options
  readonly onChange: (options: Options) => void
}

export function OptionFields({ model, labelling, options, onChange }: OptionFieldsProps) {
  const translates = isTranslation(model, options)
  const isAble = canLabel(model) && !translates
  const hasSpeakers = isAble && options.hasSpeakers
  const languages = model.languages ?? []
  return (
    <div class="options">
      {model.capabilities.translation === true && (
        <label class="check">
          <input
            type="checkbox"
            checked={translates}
            onChange={({ currentTarget }) => onChange({ ...options, translates: currentTarget.checked })}
          />{' '}
          {texts.transcribe.translate}
        </label>
      )}
      {languages.length > 1 && !translates && (
        <Select
          label={texts.transcribe.language}
          value={languages.includes(options.language) ? options.language : ''}
          choices={languageChoices(languages)}
          onChange={(language) => onChange({ ...options, language })}
        />
      )}
      <div>
        <label class="check">
          <input
            type="checkbox"
            checked={hasSpeakers}
            disabled={!isAble}
            onChange={({ currentTarget }) => onChange({ ...options, hasSpeakers: currentTarget.checked })}
          />{' '}
          {texts.transcribe.speakers}
        </label>
        {!canLabel(model) && (
          <p class="hint">
            {texts.transcribe.cannotLabel(model.id)}{' '}
            {labelling.length > 0 && texts.transcribe.canLabel(labelling.join(', '))}
          </p>
        )}
      </div>
      {hasSpeakers && (
        <div class="pair">
          <Field
            label={texts.transcribe.minimum}
            name="min_speakers"
            type="number"
            min={1}
            placeholder={texts.transcribe.any}
            value={options.minimum}
            onInput={({ currentTarget }) => onChange({ ...options, minimum: currentTarget.value })}
          />
          <Field
            label={texts.transcribe.maximum}
            name="max_speakers"
            type="number"
            min={options.minimum === '' ? 1 : options.minimum}
            placeholder={texts.transcribe.any}
            value={options.maximum}
            onInput={({ currentTarget }) => onChange({ ...options, maximum: currentTarget.value })}
          />
        </div>
      )}
    </div>
  )
}

/** Returns whether the model is asked for English. */
export function isTranslation({ capabilities }: PlayModel, { translates }: Pick<Options, 'translates'>): boolean {
  return translates && capabilities.translation === true
}

export function canLabel({ capabilities }: PlayModel): boolean {
  return capabilities.diarization === true
}

/** Returns the request's fields. Speakers imply word times; otherwise words are requested. */
export function fieldsOf(model: PlayModel, options: Options): TranscriptionFields {
  const { language, hasSpeakers, minimum, maximum } = options
  if (isTranslation(model, options)) return { model: model.id, response_format: 'verbose_json' }
  const isKnown = (model.languages ?? []).includes(language)
  const common = { model: model.id, response_format: 'verbose_json', ...(isKnown && { language }) } as const
  if (!(hasSpeakers && canLabel(model))) return { ...common, timestamp_granularities: ['word', 'segment'] }
  return {
    ...common,
    diarize: true,
    ...(minimum !== '' && { min_speakers: Number(minimum) }),
    ...(maximum !== '' && { max_speakers: Number(maximum) }),
  }
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' })

/** Returns the English name of a language code, else the code. */
export function languageName(code: string): string {
  return languageNames.of(code) ?? code
}

/** Returns English names by code in alphabetical order. */
function languageChoices(codes: readonly string[]): Readonly<Record<string, string>> {
  const named = codes.map((code) => [code, languageName(code)] as const)
  return Object.fromEntries([['', texts.transcribe.detected], ...named.sort((a, b) => a[1].localeCompare(b[1]))])
}
