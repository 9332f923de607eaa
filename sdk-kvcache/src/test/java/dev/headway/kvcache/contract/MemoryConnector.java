package dev.headway.kvcache.contract;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TransferReport;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Keeps whole blocks in a map, by all tokens up to their end, with one fault. */
final class MemoryConnector implements KvConnector {

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    NONE(""),
    CHANGES_ITS_ROLE("shouldHaveOneRole"),
    ANSWERS_MORE_THAN_IS_KNOWN("shouldAnswerTokensThatAreKnown"),
    ANSWERS_ONLY_ONCE("shouldAnswerTokensThatAreKnown"),
    LOADS_AS_A_PRODUCER("shouldAnswerTokensThatAreKnown"),
    BEGINS_IN_A_LOOKUP("shouldStartNothingInALookup"),
    REPORTS_WHAT_IS_COMPUTED("shouldReportNothingForARequestThatIsComputed"),
    LOADS_INTO_LOCAL_BLOCKS("shouldLoadIntoTheBlocksBehindTheLocalOnes"),
    LOADS_OTHER_BLOCKS("shouldLoadIntoTheBlocksBehindTheLocalOnes"),
    REPORTS_A_LOAD_TWICE("shouldLoadIntoTheBlocksBehindTheLocalOnes"),
    REPORTS_NO_LOAD("shouldLoadIntoTheBlocksBehindTheLocalOnes"),
    REPORTS_BEFORE_IT_WRITES("shouldLoadIntoTheBlocksBehindTheLocalOnes"),
    HIDES_WHAT_IS_NOT_THERE("shouldSayWhichBlocksAreNotThere"),
    SAYS_LATE_WHAT_IS_NOT_THERE("shouldSayWhichBlocksAreNotThere"),
    FORGETS_LOADS_OF_ENDED_REQUESTS("shouldEndTheLoadOfARequestThatHasEnded"),
    REPORTS_WHAT_IT_HAS_CANCELLED("shouldEndTheLoadOfARequestThatHasEnded"),
    KEEPS_NOTHING_AT_ALL("shouldKeepNothingOfARequestThatWasNeverAdmitted"),
    REPORTS_SENT_TWICE("shouldReportOnceThatBlocksAreSent"),
    NEVER_SENDS("shouldReportOnceThatBlocksAreSent"),
    READS_BLOCKS_THAT_ARE_FREE("shouldReportOnceThatBlocksAreSent"),
    KEEPS_READING_AT_ITS_END("shouldEndWithBlocksThatAreKept"),
    LOADS_ON_THE_THREAD_OF_THE_ENGINE("shouldNotWaitForATransfer"),
    WAITS_FOR_ITS_LOAD("shouldNotWaitForATransfer"),
    LEAVES_A_LOAD_BEHIND("shouldTouchNoBlockAfterItsEnd");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  private final Fault fault;
  private final Map<String, byte[]> store;
  private final KvBlockAccess blocks;
  private final int blockSize;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
  private final CountDownLatch anEnd = new CountDownLatch(1);
  private TransferSink sink;
  private int calls;

  MemoryConnector(Fault fault, Map<String, byte[]> store, KvBlockAccess blocks, int blockSize) {
    this.fault = fault;
    this.store = store;
    this.blocks = blocks;
    this.blockSize = blockSize;
  }

  static String key(int[] tokens, int block, int blockSize) {
    return Arrays.toString(Arrays.copyOf(tokens, (block + 1) * blockSize));
  }

  private String key(RequestView request, int block) {
    final int[] tokens = new int[(block + 1) * blockSize];
    request.copyTokenIds(0, tokens, 0, tokens.length);
    return key(tokens, block, blockSize);
  }

  @Override
  public KvRole role() {
    final boolean sends =
        fault == Fault.LOADS_AS_A_PRODUCER || fault == Fault.CHANGES_ITS_ROLE && calls++ % 2 == 1;
    return sends ? KvRole.PRODUCER : KvRole.BOTH;
  }

  @Override
  public void start(TransferSink given) {
    sink = given;
  }

  @Override
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {
    int block = localTokens / blockSize;
    while ((block + 1) * blockSize <= request.knownTokens()
        && store.containsKey(key(request, block))) {
      block++;
    }
    if (fault == Fault.BEGINS_IN_A_LOOKUP) {
      worker.execute(() -> blocks.write(1, ByteBuffer.allocate(blocks.blockBytes())));
    }
    final int found = block * blockSize - localTokens;
    if (fault == Fault.ANSWERS_ONLY_ONCE && calls++ > 0) {
      return;
    }
    answer.ahead(fault == Fault.ANSWERS_MORE_THAN_IS_KNOWN ? request.knownTokens() + 1 : found);
  }

  @Override
  public void admitted(RequestView request, KvSequence table, int externalTokens) {
    if (externalTokens == 0) {
      if (fault == Fault.REPORTS_WHAT_IS_COMPUTED) {
        received(request.number());
      }
      return;
    }
    final boolean ignoresLocal = fault == Fault.LOADS_INTO_LOCAL_BLOCKS;
    final int count =
        ignoresLocal ? table.blockCount(0) : (externalTokens + blockSize - 1) / blockSize;
    final int from = table.blockCount(0) - count;
    final int[] targets = new int[count];
    table.copyBlockIds(0, from, targets, 0, count);
    final String[] keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = key(request, from + (fault == Fault.LOADS_OTHER_BLOCKS ? 0 : i));
    }
    begin(request, targets, keys);
  }

  private void begin(RequestView request, int[] targets, String[] keys) {
    final long number = request.number();
    if (fault == Fault.FORGETS_LOADS_OF_ENDED_REQUESTS && request.id().equals("ended")) {
      return; // the load of this one is out when it ends
    }
    if (fault == Fault.LOADS_ON_THE_THREAD_OF_THE_ENGINE) {
      load(number, targets, keys);
      return;
    }
    final Future<?> loading = worker.submit(() -> load(number, targets, keys));
    if (fault == Fault.WAITS_FOR_ITS_LOAD) {
      try {
        loading.get();
      } catch (InterruptedException | ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void load(long number, int[] targets, String[] keys) {
    if (fault == Fault.REPORTS_BEFORE_IT_WRITES) {
      received(number);
      awaitAnEnd();
    }
    final TransferReport report = new TransferReport();
    final TransferReport late = new TransferReport();
    for (int i = 0; i < targets.length; i++) {
      final byte[] kv = store.get(keys[i]);
      if (kv != null) {
        blocks.write(targets[i], ByteBuffer.wrap(kv));
      } else if (fault == Fault.SAYS_LATE_WHAT_IS_NOT_THERE) {
        late.invalid(targets[i]);
      } else if (fault != Fault.HIDES_WHAT_IS_NOT_THERE) {
        report.invalid(targets[i]);
      }
    }
    if (fault != Fault.REPORTS_NO_LOAD && fault != Fault.REPORTS_BEFORE_IT_WRITES) {
      report.received(number);
    }
    if (fault == Fault.REPORTS_A_LOAD_TWICE) {
      report.received(number);
    }
    sink.report(report);
    sink.report(late);
  }

  /** A request, or the connector, has ended. */
  private void awaitAnEnd() {
    try {
      anEnd.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void received(long number) {
    final TransferReport report = new TransferReport();
    report.received(number);
    sink.report(report);
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence table, int computedTokens, FinishReason reason) {
    anEnd.countDown();
    if (fault == Fault.KEEPS_NOTHING_AT_ALL && computedTokens == 0) {
      sent(request.number());
      return BlockRelease.WHEN_SENT;
    }
    final boolean complete = reason == FinishReason.LENGTH || reason == FinishReason.STOP;
    final int count = computedTokens / blockSize;
    if (!complete || count == 0) {
      return BlockRelease.NOW;
    }
    final int[] sources = new int[count];
    table.copyBlockIds(0, 0, sources, 0, count);
    final String[] keys = new String[count];
    Arrays.setAll(keys, block -> key(request, block));
    worker.execute(() -> save(request.number(), sources, keys));
    return BlockRelease.WHEN_SENT;
  }

  private void save(long number, int[] sources, String[] keys) {
    if (fault == Fault.READS_BLOCKS_THAT_ARE_FREE) {
      sent(number);
    }
    for (int i = 0; i < sources.length; i++) {
      final ByteBuffer kv = ByteBuffer.allocate(blocks.blockBytes());
      blocks.read(fault == Fault.READS_BLOCKS_THAT_ARE_FREE ? 60 : sources[i], kv);
      store.put(keys[i], kv.array());
    }
    if (fault != Fault.NEVER_SENDS && fault != Fault.READS_BLOCKS_THAT_ARE_FREE) {
      sent(number);
    }
    if (fault == Fault.REPORTS_SENT_TWICE) {
      sent(number);
    }
    if (fault == Fault.KEEPS_READING_AT_ITS_END) {
      blocks.read(sources[0] + 30, ByteBuffer.allocate(blocks.blockBytes()));
    }
  }

  private void sent(long number) {
    final TransferReport report = new TransferReport();
    report.sent(number);
    sink.report(report);
  }

  @Override
  public boolean cancelLoad(RequestView request) {
    return fault == Fault.REPORTS_WHAT_IT_HAS_CANCELLED;
  }

  @Override
  public void close() {
    anEnd.countDown();
    if (fault == Fault.LEAVES_A_LOAD_BEHIND) {
      worker.shutdown();
    } else {
      worker.close();
    }
  }
}
