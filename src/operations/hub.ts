/** Models of the hub that are not in the catalog. The hub is asked only for an operation that somebody performs. */
import { Type } from '@sinclair/typebox'
import { repositoryPattern } from '../core/repository-name.ts'
import { auditors } from '../core/roles.ts'
import { wholeNumber } from '../core/schemas.ts'
import { lineOf, mustBe } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

const defaultLimit = 30
const maximumLimit = 100

/** Returns the host of the hub that searches would ask. Asks nothing. */
export const showHub = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  asksServer: true,
  input: Type.Object({}),
  run: (context) => ({ host: runningServer(context).hub.host() }),
})

/** Searches the hub for repositories with GGUF models. */
export const searchHub = operation({
  callers: ['operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({
    words: lineOf('are words of a model or repository', 200),
    limit: Type.Optional(mustBe(wholeNumber(1, maximumLimit))),
  }),
  prepare: async (context, { words, limit = defaultLimit }) => {
    const { hub } = runningServer(context)
    const answer = await hub.search(words, limit)
    if (answer.kind === 'failure')
      throw new OperationError({ code: 'hub_failed', why: answer.why, reason: answer.reason })
    return { host: hub.host(), repositories: answer.found }
  },
  run: (_, __, prepared) => ofServer(prepared),
})

/** Lists the models of a repository: each quantization with its size and whether it fits. */
export const listHubFiles = operation({
  callers: ['operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({
    repository: Type.String({
      pattern: `^${repositoryPattern}$`,
      description: 'is a repository of the hub, org/name',
    }),
  }),
  prepare: async (context, { repository }) => {
    const answer = await runningServer(context).hub.files(repository)
    if (answer.kind === 'failure')
      throw new OperationError({ code: 'hub_failed', why: answer.why, reason: answer.reason })
    const { kind: _, ...files } = answer
    return files
  },
  run: (_, __, prepared) => ofServer(prepared),
})
