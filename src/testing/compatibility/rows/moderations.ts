import { type Chapters, supported } from './row.ts'

export const moderationsRows: Chapters = {
  moderations: {
    sentence:
      '`POST /v1/moderations`, by the chat model that the setting `moderation-model` names, or by a model of type `moderation` (texts alone) that the request names; else 404 `not_supported`. Each text is judged in a chat of its own, whose tokens are charged. `category_scores` are the likelihoods that the model states, in tenths; from 0.5 a category applies.',
    tables: {
      'Request fields': [
        supported('model', "may be left out; OpenAI's names (`omni-moderation-latest`) mean the operator's model"),
        supported('input', 'parts are of type `text` or `image_url`, which a model of type `vision` judges'),
      ],
    },
  },
}
