import { type ModerationCategory, moderationCategories, type Verdict } from '../../core/moderation.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { WorkDialect } from '../dialect.ts'
import { type InputTypes, ModerationsBody, type ModerationsCall, parseModerations } from './parse-request.ts'

/** POST /moderations. */
export const moderationsDialect: WorkDialect<ModerationsCall, WorkEvent<'moderate'>> = {
  endpoint: 'moderations',
  kind: 'moderate',
  isModelOptional: true,
  body: ModerationsBody,
  parse: parseModerations,
  toCallersParam: (_, param) => (param.startsWith('messages') ? 'input' : param),
  collector: ({ inputs }, { newId, modelId }) => {
    const results: object[] = []
    return {
      push: (event) => {
        const types = inputs[results.length]
        if (event.type === 'verdict' && types !== undefined) results.push(toResult(event, types))
      },
      end: () => {
        if (results.length !== inputs.length) throw new Error('a content has no verdict: this is a bug')
        return { id: newId('modr-'), model: modelId, results }
      },
    }
  },
}

/** Score from which a category applies. */
const threshold = 0.5

/** Categories that OpenAI judges pictures by, and whose types name them therefore. */
const ofPictures: readonly ModerationCategory[] = [
  ...(['self-harm', 'self-harm/intent', 'self-harm/instructions'] as const),
  ...(['sexual', 'violence', 'violence/graphic'] as const),
]

function toResult({ scores, applying }: Verdict, { hasText, hasPictures }: InputTypes): object {
  const each = <Value>(of: (name: ModerationCategory) => Value) =>
    Object.fromEntries(moderationCategories.map((name) => [name, of(name)]))
  const applies = (name: ModerationCategory) => applying?.includes(name) ?? scores[name] >= threshold
  return {
    flagged: moderationCategories.some(applies),
    categories: each(applies),
    category_scores: each((name) => scores[name]),
    category_applied_input_types: each((name) => [
      ...(hasText ? ['text'] : []),
      ...(hasPictures && ofPictures.includes(name) ? ['image'] : []),
    ]),
  }
}
