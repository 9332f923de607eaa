package dev.headway.kvcache.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import dev.headway.testkit.kvcache.KvCacheContract;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The contract finds what is planted in a sound manager, with the checks that are meant for it. */
class KvCacheContractFaultsTest {

  /** Makes the manager of {@link Broken}, which JUnit makes itself. */
  private static final ThreadLocal<Function<KvCacheContext, KvCacheManager>> FACTORY =
      new ThreadLocal<>();

  /** Run by the launcher only: its name does not end in Test. */
  static final class Broken extends KvCacheContract {
    @Override
    protected KvCacheManager kvCache(KvCacheContext context) {
      return FACTORY.get().apply(context);
    }
  }

  private record Fault(Function<KvCacheContext, KvCacheManager> manager, String... checks) {}

  @TestFactory
  Stream<DynamicTest> shouldFindEachFault() {
    return faults().entrySet().stream()
        .map(
            fault ->
                DynamicTest.dynamicTest(
                    fault.getKey(),
                    () ->
                        assertThat(failedChecks(fault.getValue().manager()))
                            .containsExactlyInAnyOrder(fault.getValue().checks())));
  }

  private static Set<String> failedChecks(Function<KvCacheContext, KvCacheManager> factory) {
    FACTORY.set(factory);
    try {
      return FailedChecks.of(Broken.class);
    } finally {
      FACTORY.remove();
    }
  }

  private static KvCacheManager sound(KvCacheContext context) {
    return Managers.of(context).build();
  }

  private static Map<String, Fault> faults() {
    final Map<String, Fault> faults = new LinkedHashMap<>();
    faults.put("none", new Fault(KvCacheContractFaultsTest::sound));
    faults.put(
        "gives blocks back before their step is acknowledged",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int release(KvSequence sequence, int computed, long lastStepId) {
                    return sound.release(sequence, computed, 0);
                  }
                },
            "shouldKeepReleasedBlocksUntilTheirStepIsAcknowledged",
            "shouldNotReuseABlockBeforeItsFence"));
    faults.put(
        "counts blocks that others hold among those a release gains",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int blocksGained(
                      KvSequence holding, int computed, long lastStepId, KvSequence waiting) {
                    return holding.blockCount(0);
                  }
                },
            "shouldFreeWhatItSaysAReleaseGains"));
    faults.put(
        "says that it has a free block more",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int freeBlocks() {
                    return sound.freeBlocks() + 1;
                  }
                },
            "shouldAccountForEveryBlock",
            "shouldForgetEverythingInAReset",
            "shouldGiveAllBlocksBack",
            "shouldKeepReleasedBlocksUntilTheirStepIsAcknowledged"));
    faults.put(
        "shares prefixes between salts",
        opens(
            view -> Mistaken.of(view, false, true, true),
            "shouldFindNothingOfAnotherText",
            "shouldFindOnlyEqualTokens",
            "shouldTakeBackWhatAFailedStepWasToWrite"));
    faults.put(
        "shares prefixes between adapters",
        opens(view -> Mistaken.of(view, true, false, true), "shouldFindNothingOfAnotherText"));
    faults.put(
        "shares prefixes between images",
        opens(Mistaken::withoutItems, "shouldFindNothingOfAnotherText"));
    faults.put(
        "finds prefixes for requests that skip them",
        opens(
            view -> Mistaken.of(view, true, true, false),
            "shouldFindNothingForARequestThatSkipsPrefixes"));
    faults.put(
        "makes drafts findable",
        opens(
            view -> Mistaken.withDrafts(view, 9),
            "shouldLeaveTheLastTokenToBeComputed",
            "shouldNotMakeDraftsFindable"));
    faults.put(
        "finds prefixes though caching is off",
        new Fault(
            context -> Managers.of(context).prefixCache(PrefixCacheOptions.DEFAULT).build(),
            "shouldFindNothingWithoutPrefixCaching"));
    faults.put(
        "has no room for lookahead",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public Allocation allocate(
                      KvSequence sequence, int tokens, int lookahead, int reserve, int watermark) {
                    return sound.allocate(sequence, tokens, 0, reserve, watermark);
                  }

                  @Override
                  public Allocation extend(
                      KvSequence sequence, int computed, int tokens, int lookahead) {
                    return sound.extend(sequence, computed, tokens, 0);
                  }
                },
            "shouldHaveRoomForLookahead"));
    faults.put(
        "keeps what was taken back",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int release(KvSequence sequence, int computed, long lastStepId) {
                    return sound.release(sequence, Integer.MAX_VALUE, lastStepId);
                  }
                },
            "shouldForgetWhatWasNotComputed"));
    faults.put(
        "promises more than others find",
        broken(
            sound ->
                new FaultyTables(sound) {
                  @Override
                  int sharedPrefixTokens(KvSequence table) {
                    return table.sharedPrefixTokens() + 1;
                  }
                },
            "shouldNotPromiseMoreThanOthersFind"));
    faults.put(
        "finds the last token too",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int lookup(KvSequence sequence) {
                    final int found = sound.lookup(sequence);
                    return found == 0 ? 0 : found + sound.shape().blockSize();
                  }
                },
            "shouldForgetWhatWasNotComputed",
            "shouldHaveABlockForEveryToken",
            "shouldLeaveTheLastTokenToBeComputed",
            "shouldNotMakeDraftsFindable",
            "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "names nobody who depends on a failed step",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public void stepFailed(
                      long stepId, @Nullable KvSequence failed, KvDependents dependents) {
                    sound.stepFailed(stepId, failed, dependent -> {});
                  }
                },
            "shouldNameThoseWhoDependOnAFailedRequest",
            "shouldNameThoseWhoDependOnARequestThatIsGone",
            "shouldTakeBackWhatAFailedStepWasToWrite"));
    faults.put(
        "names everybody",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  private final Set<KvSequence> open = new HashSet<>();

                  @Override
                  public KvSequence open(RequestView request) {
                    final KvSequence sequence = sound.open(request);
                    open.add(sequence);
                    return sequence;
                  }

                  @Override
                  public void stepFailed(
                      long stepId, @Nullable KvSequence failed, KvDependents dependents) {
                    sound.stepFailed(stepId, failed, dependents);
                    open.forEach(dependents::add);
                  }
                },
            "shouldKeepWhatWasComputedBeforeAStepFails",
            "shouldNameThoseWhoDependOnAFailedRequest",
            "shouldNameThoseWhoDependOnARequestThatIsGone"));
    faults.put(
        "keeps what a failed step was to write",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int release(KvSequence sequence, int computed, long lastStepId) {
                    return sound.release(sequence, Integer.MAX_VALUE, lastStepId);
                  }

                  @Override
                  public void stepFailed(
                      long stepId, @Nullable KvSequence failed, KvDependents dependents) {
                    sound.stepFailed(stepId + 1_000, failed, dependents); // forgets nothing
                    sound.stepFailed(stepId, failed, dependents);
                    sound.stepFailed(stepId + 1_000, failed, dependents);
                  }
                },
            "shouldForgetWhatWasNotComputed",
            "shouldNameThoseWhoDependOnAFailedRequest",
            "shouldNameThoseWhoDependOnARequestThatIsGone",
            "shouldTakeBackWhatAFailedStepWasToWrite"));
    faults.put(
        "calls every shortage a shortage of blocks",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public Allocation allocate(
                      KvSequence sequence, int tokens, int lookahead, int reserve, int watermark) {
                    final Allocation answer =
                        sound.allocate(sequence, tokens, lookahead, reserve, watermark);
                    return answer.isAllocated()
                        ? answer
                        : answer.answer(Allocation.Status.BLOCKS_SHORT, answer.neededBlocks());
                  }
                },
            "shouldSayThatTheWatermarkIsShort",
            "shouldSayThatTheWholeSequenceDoesNotFit"));
    faults.put(
        "does not say what a refused sequence needs",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public Allocation allocate(
                      KvSequence sequence, int tokens, int lookahead, int reserve, int watermark) {
                    final Allocation answer =
                        sound.allocate(sequence, tokens, lookahead, reserve, watermark);
                    return answer.answer(answer.status(), 0);
                  }
                },
            "shouldChangeNothingWhenItRefuses",
            "shouldSayThatBlocksAreShort",
            "shouldSayThatTheWatermarkIsShort",
            "shouldSayThatTheWholeSequenceDoesNotFit"));
    faults.put(
        "takes too few blocks",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public Allocation extend(
                      KvSequence sequence, int computed, int tokens, int lookahead) {
                    return sound.extend(sequence, computed, Math.max(1, tokens - 4), lookahead);
                  }
                },
            "shouldHaveABlockForEveryToken"));
    faults.put(
        "hands one block out twice",
        broken(
            sound ->
                new FaultyTables(sound) {
                  @Override
                  int shown(int block) {
                    return block == 0 ? 0 : 1;
                  }
                },
            "shouldAccountForEveryBlock",
            "shouldGiveABlockToOneOwner",
            "shouldKeepASharedBlockForItsOtherHolder"));
    faults.put(
        "forgets nothing in a reset",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public boolean reset() {
                    return sound.freeBlocks() == sound.shape().usableBlocks();
                  }
                },
            "shouldForgetEverythingInAReset",
            "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "closes sequences that hold blocks",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public void close(KvSequence sequence) {
                    sound.release(sequence, 0, 0);
                    sound.close(sequence);
                  }
                },
            "shouldNotCloseASequenceThatHoldsBlocks"));
    faults.put(
        "calls every block common",
        broken(
            sound ->
                new FaultyKvCache(sound) {
                  @Override
                  public int commonPrefixBlocks(KvSequence sequence, int group) {
                    return sequence.blockCount(group);
                  }
                },
            "shouldCallCommonWhatEverybodyHas"));
    faults.put(
        "promises blocks that it has not allocated",
        broken(
            sound ->
                new FaultyTables(sound) {
                  @Override
                  int allocatedThrough(KvSequence table) {
                    return table.allocatedThrough() + 1;
                  }
                },
            "shouldHaveNothingToDoUpToAllocatedThrough"));
    faults.put(
        "reports removals twice",
        tells(
            FaultyListener.Fault.REMOVES_TWICE,
            "shouldRemoveOnlyWhatWasStored",
            "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "reports one hash for everything",
        tells(
            FaultyListener.Fault.ONE_HASH,
            "shouldRemoveOnlyWhatWasStored",
            "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "reports no removals",
        tells(FaultyListener.Fault.NEVER_REMOVES, "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "reports no resets",
        tells(FaultyListener.Fault.NEVER_CLEARS, "shouldTellOfEverythingThatCanBeFound"));
    faults.put(
        "reports wrong parents",
        tells(FaultyListener.Fault.WRONG_PARENT, "shouldTellOfEverythingThatCanBeFound"));
    return faults;
  }

  private static Fault opens(UnaryOperator<RequestView> mistakes, String... checks) {
    return broken(
        sound ->
            new FaultyKvCache(sound) {
              @Override
              public KvSequence open(RequestView request) {
                return sound.open(mistakes.apply(request));
              }
            },
        checks);
  }

  private static Fault tells(FaultyListener.Fault fault, String... checks) {
    return new Fault(
        context ->
            Managers.of(context).listener(new FaultyListener(context.listener(), fault)).build(),
        checks);
  }

  private static Fault broken(UnaryOperator<KvCacheManager> breaks, String... checks) {
    return new Fault(context -> breaks.apply(sound(context)), checks);
  }
}
