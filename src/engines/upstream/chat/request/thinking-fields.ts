/** Thinking settings of a request in the servers' formats. */
import { type ChatRequest, type Reasoning, wantsThinking } from '../../../../core/chat.ts'
import type { JsonObject, JsonValue } from '../../../../core/json.ts'
import type { Abilities, ChatForm } from '../chat-form.ts'

type ThinkingRow = Pick<ChatForm, 'thinking' | 'thinkingBudget' | 'hasTemplateVariables'>

/** Returns the fields. If a server cannot switch thinking off, the reader removes it: `off` works with every model. */
export function thinkingFields(request: ChatRequest, abilities: Abilities, row: ThinkingRow): JsonObject {
  const { reasoning, templateVariables } = request
  const { thinking } = row
  if (thinking.kind === 'whole') return { ...wholeFields(reasoning), ...variableFields(templateVariables) }
  const isWanted = wantsThinking(reasoning)
  const effort = isWanted === true ? reasoning.effort : undefined
  if (thinking.kind === 'effort') return effort === undefined ? {} : { reasoning_effort: effort }
  const variables = new Map<string, JsonValue>(Object.entries(templateVariables ?? {}))
  if (isWanted !== undefined) for (const name of thinking.switches) variables.set(name, isWanted)
  // Templates know only three efforts.
  const known = effort === 'minimal' ? 'low' : effort
  if (known !== undefined && thinking.effortIn === 'template') variables.set('reasoning_effort', known)
  return {
    ...(known !== undefined && thinking.effortIn === 'body' && { reasoning_effort: known }),
    ...(row.hasTemplateVariables && variableFields(Object.fromEntries(variables))),
    ...budgetFields(reasoning, isWanted, abilities, row),
  }
}

function variableFields(variables: JsonObject = {}): JsonObject {
  return Object.keys(variables).length === 0 ? {} : { chat_template_kwargs: variables }
}

/** Returns the token limit of thinking. With thinking off, a block that the template opens nevertheless gets none. */
function budgetFields(
  { budgetTokens }: Reasoning,
  isWanted: boolean | undefined,
  { thinkingBudget }: Abilities,
  row: ThinkingRow,
): JsonObject {
  const tokens = isWanted === false ? 0 : budgetTokens
  if (row.thinkingBudget === undefined || !thinkingBudget || tokens === undefined) return {}
  return { [row.thinkingBudget]: tokens }
}

/** Returns inferd's own fields; `effort` alone would turn thinking on. */
function wholeFields({ mode, effort, budgetTokens, templateMode }: Reasoning): JsonObject {
  const all = {
    ...(mode !== undefined && { enabled: mode === 'on' }),
    ...(effort !== undefined && { effort }),
    ...(budgetTokens !== undefined && { max_tokens: budgetTokens }),
  }
  return {
    ...(Object.keys(all).length > 0 && { reasoning: all }),
    ...(templateMode !== undefined && { enable_thinking: templateMode === 'on' }),
  }
}
