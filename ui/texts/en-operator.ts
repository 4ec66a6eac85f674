/** English of the operators' pages, which load it with them. */
import { account, accounts } from './en/accounts.ts'
import { downloads } from './en/downloads.ts'
import { mail } from './en/mail.ts'
import { model, models } from './en/models.ts'
import { money } from './en/money.ts'
import { audit, ledger, operator } from './en/operator.ts'
import { overview } from './en/overview.ts'
import { requests } from './en/requests.ts'
import { setup } from './en/setup.ts'

export const enOperator = {
  account,
  accounts,
  model,
  models,
  overview,
  audit,
  downloads,
  ledger,
  mail,
  money,
  operator,
  requests,
  setup,
}
