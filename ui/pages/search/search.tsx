/** Search: similarity of texts by an embedding model, and order of documents by a reranker. */
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { CompareTab } from './compare-tab.tsx'
import { RankTab } from './rank-tab.tsx'

export default function Search() {
  // Links of earlier versions say `search`.
  const tab = place.value.query.has('tab') ? 'rank' : 'compare'
  return (
    <Page title={texts.search.title} intro={texts.search.intro}>
      <Tabs
        label={texts.search.tabsLabel}
        value={tab}
        choices={texts.search.tabs}
        onChange={(chosen) => setQuery({ tab: chosen === 'compare' ? undefined : chosen, model: undefined })}
      >
        {tab === 'compare' ? <CompareTab /> : <RankTab />}
      </Tabs>
    </Page>
  )
}
