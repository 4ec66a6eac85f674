import type { Database } from 'bun:sqlite'
import { chainEarlierRows } from '../audit-chain.ts'
import accountsAndKeys from './0001_accounts_and_keys.sql' with { type: 'text' }
import moneyAndSignup from './0002_money_and_signup.sql' with { type: 'text' }
import idempotentCreditsAndPages from './0003_idempotent_credits_and_pages.sql' with { type: 'text' }
import models from './0004_models.sql' with { type: 'text' }
import pages from './0005_pages.sql' with { type: 'text' }
import usageDays from './0006_usage_days.sql' with { type: 'text' }
import keylessKey from './0007_keyless_key.sql' with { type: 'text' }
import estimatedUsage from './0008_estimated_usage.sql' with { type: 'text' }
import boundedLists from './0009_bounded_lists.sql' with { type: 'text' }
import backendProbes from './0010_backend_probes.sql' with { type: 'text' }
import dryRuns from './0011_dry_runs.sql' with { type: 'text' }
import fewerPages from './0012_fewer_pages.sql' with { type: 'text' }
import stepCurves from './0013_step_curves.sql' with { type: 'text' }
import generatedImages from './0014_generated_images.sql' with { type: 'text' }
import webSearches from './0015_web_searches.sql' with { type: 'text' }
import limits from './0016_limits.sql' with { type: 'text' }
import privacy from './0017_privacy.sql' with { type: 'text' }
import secondFactor from './0018_second_factor.sql' with { type: 'text' }
import webhooks from './0019_webhooks.sql' with { type: 'text' }
import roles from './0020_roles.sql' with { type: 'text' }
import identities from './0021_identities.sql' with { type: 'text' }
import teams from './0022_teams.sql' with { type: 'text' }

export interface Migration {
  /** `NNNN_name`; NNNN is the schema version it leads to. */
  readonly name: string
  readonly sql: string
  /** Changes rows, after the statements and in their transaction. */
  readonly changeRows?: (database: Database) => void
}

/** All migrations, oldest first. A released one is never edited. */
export const migrations: readonly Migration[] = [
  { name: '0001_accounts_and_keys', sql: accountsAndKeys },
  { name: '0002_money_and_signup', sql: moneyAndSignup },
  { name: '0003_idempotent_credits_and_pages', sql: idempotentCreditsAndPages },
  { name: '0004_models', sql: models },
  { name: '0005_pages', sql: pages },
  { name: '0006_usage_days', sql: usageDays },
  { name: '0007_keyless_key', sql: keylessKey },
  { name: '0008_estimated_usage', sql: estimatedUsage },
  { name: '0009_bounded_lists', sql: boundedLists },
  { name: '0010_backend_probes', sql: backendProbes },
  { name: '0011_dry_runs', sql: dryRuns },
  { name: '0012_fewer_pages', sql: fewerPages },
  { name: '0013_step_curves', sql: stepCurves },
  { name: '0014_generated_images', sql: generatedImages },
  { name: '0015_web_searches', sql: webSearches },
  { name: '0016_limits', sql: limits },
  { name: '0017_privacy', sql: privacy, changeRows: chainEarlierRows },
  { name: '0018_second_factor', sql: secondFactor },
  { name: '0019_webhooks', sql: webhooks },
  { name: '0020_roles', sql: roles },
  { name: '0021_identities', sql: identities },
  { name: '0022_teams', sql: teams },
]
