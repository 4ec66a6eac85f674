import { accountAnswerOf } from '../../operations/account-answers.ts'
import { problemError } from '../../operations/problem-words.ts'
import { answerPage } from '../answer-page.ts'
import type { AccountCaller } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** POST operations/{name}: performs an operation on the account that is signed in. */
export async function performAsAccount(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return answerPage(exchange, { caller: account, answerOf: accountAnswerOf, toError: problemError })
}
