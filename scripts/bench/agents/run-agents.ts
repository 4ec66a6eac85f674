import { type ChatTarget, type StreamedAnswer, streamConversation } from '../chat/stream-chat.ts'
import { agentScript, type ScriptOptions, sharedBeginning, toolNames } from './agent-script.ts'

/** Answers of one agent, in order. */
export type AgentRun = readonly StreamedAnswer[]

/** Starts `count` agents at once. Resolves when the last one has ended. Rejects if any request fails. */
export function runAgents(target: ChatTarget, count: number, options: ScriptOptions): Promise<AgentRun[]> {
  return Promise.all(Array.from({ length: count }, (_, agent) => runAgent(target, agent, options)))
}

/**
 * Sends the growing conversation turn by turn, with this server's own answers, as real agents do. The calls are the
 * script's, since a random model makes none. Greedy, so that rounds are alike.
 */
async function runAgent(target: ChatTarget, agent: number, options: ScriptOptions): Promise<AgentRun> {
  const { system, tools } = sharedBeginning(options)
  const script = agentScript(agent, options)
  const messages: unknown[] = [
    { role: 'system', content: system },
    { role: 'user', content: script.task },
  ]
  const answers: StreamedAnswer[] = []
  for (const [index, turn] of script.turns.entries()) {
    const answer = await streamConversation(target, {
      ...{ messages, tools, tokens: turn.answerTokens },
      ...{ temperature: 0, seed: options.seed },
    })
    answers.push(answer)
    const id = `call_${index}`
    const called = { name: toolNames[index % toolNames.length], arguments: turn.arguments }
    messages.push(
      { role: 'assistant', content: answer.text, tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: id, content: turn.result },
    )
    // The tool works.
    await Bun.sleep(turn.pauseMs)
  }
  return answers
}
