import { IconButton } from '../../parts/icon-button.tsx'
import { ModelPicker } from '../../parts/model-picker/model-picker.tsx'
import { canAnswer, type PlayModel } from '../../parts/play/play-models.ts'
import { setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import type { Chat } from './conversation-state.ts'
import { changedSettings } from './settings.ts'
import { readTools } from './tools.ts'

/** Types of models that one can chat with */
export const chatTypes = ['chat', 'vision'] as const

interface ChatHeadProps {
  readonly chat: Chat
  readonly models: readonly PlayModel[]
  /** Ids of the models by column. */
  readonly chosen: readonly string[]
  readonly hasList: boolean
  readonly hasPanel: boolean
  readonly panelId: string
  readonly onToggleList: () => void
  readonly onTogglePanel: () => void
  readonly onBegin: () => void
}

/** Shows one row above a conversation: the list, the models, the comparison, the settings. */
export function ChatHead({ chat, models, chosen, hasList, hasPanel, panelId, ...on }: ChatHeadProps) {
  const other = models.find((model) => model.id !== chosen[0] && canAnswer(model))?.id ?? chosen[0] ?? ''
  const count = countSet(chat)
  const isComparing = chosen.length > 1

  const choose = (column: number, id: string) => {
    chat.models.value = chosen.map((model, index) => (index === column ? id : model))
    if (column === 0) setQuery({ model: id })
    chat.onChange()
  }
  const toggleCompare = () => {
    chat.models.value = isComparing ? chosen.slice(0, 1) : [...chosen, other]
    chat.onChange()
  }
  return (
    <div class="chat-head">
      <IconButton icon="panel-left" label={texts.chat.showList} isExpanded={hasList} onClick={on.onToggleList} />
      <IconButton icon="square-pen" label={texts.chat.begin} keys="Alt+N" onClick={on.onBegin} />
      <div class="chat-models">
        {chosen.map((id, column) => (
          <ModelPicker
            // A column never changes its place.
            key={column}
            label={isComparing ? texts.chat.modelOf(column + 1) : undefined}
            types={chatTypes}
            models={models}
            value={id}
            onChange={(model) => choose(column, model)}
          />
        ))}
      </div>
      <IconButton icon="columns-2" label={texts.chat.compare} isPressed={isComparing} onClick={toggleCompare} />
      <IconButton
        icon="sliders-horizontal"
        label={count === 0 ? texts.chat.settings : texts.chat.settingsSet(count)}
        isExpanded={hasPanel}
        controls={panelId}
        onClick={on.onTogglePanel}
      >
        {count > 0 && (
          <span class="badge" aria-hidden="true">
            {count}
          </span>
        )}
      </IconButton>
    </div>
  )
}

/** Returns the number of things that the panel has set: the system text, settings and tools. */
function countSet({ system, settings, tools }: Chat): number {
  const hasSystem = system.value.trim() !== ''
  return (hasSystem ? 1 : 0) + changedSettings(settings.value) + readTools(tools.value).names.length
}
