package dev.headway.api.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.BlockCounts;
import dev.headway.api.request.Request;
import dev.headway.api.support.SimplePlan;
import dev.headway.api.support.SimpleRequest;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Figures of a step, from a plan and entry by entry. */
class StepFeaturesTest {

  private final StepFeatures features = new StepFeatures();

  /** All figures, so that one that is forgotten or added twice shows. */
  private static String figures(StepFeatures of) {
    return "prefill %d of %d behind %d (pairs %d), decode %d of %d behind %d (squares %d), "
            .formatted(
                of.prefillRequests(),
                of.prefillTokens(),
                of.prefillContextTokens(),
                of.twicePrefillPairs(),
                of.decodeRequests(),
                of.decodeTokens(),
                of.decodeContextTokens(),
                of.decodeContextSquares())
        + "drafting %d with %d, new %d, resumed %d, samples %d, longest %d, blocks %d, saved %d, loaded %d; "
            .formatted(
                of.draftingRequests(),
                of.draftTokens(),
                of.newRequests(),
                of.resumedRequests(),
                of.samplingRequests(),
                of.longestContext(),
                of.kvBlocks(),
                of.savedBlocks(),
                of.loadedBlocks())
        + "in all %d of %d, %d of KV".formatted(of.requests(), of.totalTokens(), of.kvTokens());
  }

  private static final String NOTHING =
      "prefill 0 of 0 behind 0 (pairs 0), decode 0 of 0 behind 0 (squares 0), drafting 0 with 0,"
          + " new 0, resumed 0, samples 0, longest 0, blocks 0, saved 0, loaded 0; in all 0 of 0, 0"
          + " of KV";

  private static void addAll(StepFeatures to) {
    to.addPrefill(5, 16);
    to.addPrefill(3, 0);
    to.addPrefills(2, 7, 11, 13);
    to.addDecode(1, 30);
    to.addDecode(4, 20);
    to.addDecodes(3, 8, 9, 29, 2);
    to.addAdmissions(2, 1);
    to.addSampling(6);
    to.addBlocks(17);
    to.addTransfers(18, 19);
  }

  private static final String ALL =
      "prefill 4 of 15 behind 27 (pairs 207), decode 5 of 13 behind 59 (squares 1329), drafting 3"
          + " with 8, new 2, resumed 1, samples 6, longest 30, blocks 17, saved 18, loaded 19; in"
          + " all 9 of 28, 114 of KV";

  @Test
  void shouldAddUpWhatIsAdded() {
    assertThat(figures(features)).isEqualTo(NOTHING);

    addAll(features);

    assertThat(figures(features)).isEqualTo(ALL);
    assertThat(features)
        .hasToString(
            "StepFeatures[prefillRequests=4, prefillTokens=15, prefillContextTokens=27,"
                + " decodeRequests=5, decodeTokens=13, decodeContextTokens=59]");
  }

  @Test
  void shouldAddEqualDecodesAtOnce() {
    final StepFeatures oneByOne = new StepFeatures();
    for (int i = 0; i < 70_000; i++) {
      oneByOne.addDecode(1, 40_000);
    }

    features.addDecodesAt(70_000, 40_000);

    assertThat(figures(features)).isEqualTo(figures(oneByOne));
    assertThat(features.longestDecodeContext()).isEqualTo(40_000);
    features.begin();
    features.addDecodesAt(0, 9);
    assertThat(figures(features)).isEqualTo(NOTHING);
  }

  @Test
  void shouldBeginAnewAndCopy() {
    addAll(features);
    final StepFeatures copy = new StepFeatures();
    copy.addDecode(1, 1_000);

    copy.copyFrom(features);
    features.begin();

    assertThat(figures(copy)).isEqualTo(ALL);
    assertThat(figures(features)).isEqualTo(NOTHING);
  }

  @Test
  void shouldCountTheEntriesOfAPlan() {
    final SimplePlan plan = new SimplePlan();
    plan.add(request(20, 0, 0), null, EntryKind.NEW, 16, 0, 0); // a chunk: does not sample
    plan.add(request(20, 0, 16), null, EntryKind.RUNNING, 4, 0, 0); // its last
    plan.add(request(6, 3, 0), null, EntryKind.RESUMED, 9, 0, 0); // all once more
    plan.add(request(10, 1, 10), null, EntryKind.RUNNING, 1, 0, 0);
    plan.add(request(10, 8, 17), null, EntryKind.RUNNING, 3, 0, 0); // two drafts
    plan.blockOperations().save(1, 2);
    plan.blockOperations().save(3, 4);
    plan.blockOperations().load(request(1, 0, 0), 5, 6);
    addAll(features);

    features.fill(plan);

    assertThat(figures(features))
        .isEqualTo(
            "prefill 3 of 29 behind 16 (pairs 481), decode 2 of 4 behind 27 (squares 389), drafting"
                + " 1 with 2, new 1, resumed 1, samples 4, longest 17, blocks 0, saved 2, loaded 1;"
                + " in all 5 of 33, 76 of KV");
  }

  @Test
  void shouldCountDecodesWithDraftsHoweverTheyAreAdded() {
    final SimplePlan plan = new SimplePlan();
    plan.add(request(10, 1, 10), null, EntryKind.RUNNING, 1, 0, 0);
    plan.add(request(10, 2, 11), null, EntryKind.RUNNING, 1, 0, 0);
    plan.add(request(10, 3, 12), null, EntryKind.RUNNING, 2, 0, 0);

    features.fill(plan);
    assertThat(features.draftingRequests()).isEqualTo(1);

    features.begin();
    features.addDecode(1, 10);
    features.addDecode(1, 11);
    features.addDecode(2, 12);
    assertThat(features.draftingRequests()).isEqualTo(1);
  }

  @Test
  void shouldCountTheBlocksOfTheFirstGroup() {
    final SimplePlan plan = new SimplePlan();
    plan.add(request(10, 0, 0), new BlockCounts(0, 3, 50), EntryKind.NEW, 10, 0, 0);
    plan.add(request(10, 0, 0), new BlockCounts(0, 4, 60), EntryKind.NEW, 10, 0, 0);

    features.fill(plan);

    assertThat(features.kvBlocks()).isEqualTo(7);
  }

  @Test
  void shouldKnowTheLongestContextWhereverItIs() {
    longest(7, of -> of.addPrefill(1, 7));
    longest(7, of -> of.addDecode(1, 7));
    longest(9, of -> of.addDecode(1, 9));
    longest(9, of -> of.addPrefill(1, 8));
  }

  @Test
  void shouldTellTheLongestContextOfTheDecodes() {
    features.begin();
    features.addPrefill(3, 90);
    features.addDecode(1, 20);
    features.addDecode(1, 7);

    assertThat(features.longestDecodeContext()).isEqualTo(20);
    assertThat(features.longestContext()).isEqualTo(90);
    features.addLongestDecodeContext(95);
    assertThat(features.longestDecodeContext()).isEqualTo(95);
    assertThat(features.longestContext()).isEqualTo(95);
    final StepFeatures other = new StepFeatures();
    other.copyFrom(features);
    assertThat(other.longestDecodeContext()).isEqualTo(95);
    features.begin();
    assertThat(features.longestDecodeContext()).isZero();
  }

  private void longest(int expected, Consumer<StepFeatures> entry) {
    entry.accept(features);
    assertThat(features.longestContext()).isEqualTo(expected);
  }

  private static SimpleRequest request(int prompt, int outputs, int computed) {
    final SimpleRequest request =
        new SimpleRequest(Request.builder("r", new int[prompt]).maxTokens(100).build(), 0, 0, 0);
    for (int i = 0; i < outputs; i++) {
      request.append(i);
    }
    request.computedTokens(computed);
    return request;
  }
}
