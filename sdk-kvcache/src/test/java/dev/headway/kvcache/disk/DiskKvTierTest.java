package dev.headway.kvcache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.FakeSequence;
import dev.headway.testkit.connector.CheckedKvBlocks;
import dev.headway.testkit.files.FaultyFiles;
import dev.headway.testkit.files.FileCall;
import dev.headway.testkit.files.FileFault;
import dev.headway.testkit.files.FilePlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is kept in files, and for whom; blocks of 4 tokens and 64 bytes. */
@Timeout(60)
class DiskKvTierTest {

  private static final int FILE_BYTES = 64 + BlockFiles.HEADER_BYTES;
  private static final KvCacheShape SHAPE = KvCacheShape.builder().blockSize(4).blocks(65).build();

  @TempDir private Path folder;

  private DiskKvTierBuilder builder(Path path) {
    return DiskKvTier.builder(path, CheckedKvBlocks.open(65, 64), SHAPE)
        .model("m")
        .maxBytes(100 * FILE_BYTES);
  }

  private DiskKvTier open(DiskKvTierBuilder builder) throws IOException {
    final DiskKvTier tier = builder.open();
    tier.start(report -> {});
    return tier;
  }

  private static Request.Builder request(int first, int tokens) {
    return Request.builder("r", IntStream.range(first, first + tokens).toArray()).maxTokens(8);
  }

  private static BlockRelease save(DiskKvTier tier, Request request) {
    final int tokens = request.promptTokens();
    return tier.requestFinished(
        FakeRequest.of(1, request).computedTokens(tokens).append(0),
        new FakeSequence(1, IntStream.rangeClosed(1, (tokens + 3) / 4).toArray()),
        tokens,
        FinishReason.LENGTH);
  }

  /** Saves, and closes, so that all is written. */
  private DiskKvTierStats saveAll(DiskKvTierBuilder builder, Request... requests)
      throws IOException {
    final DiskKvTier tier = open(builder);
    for (Request request : requests) {
      save(tier, request);
    }
    tier.close();
    return tier.stats();
  }

  private static int found(DiskKvTier tier, Request request) {
    final ExternalTokens answer = new ExternalTokens();
    tier.lookup(FakeRequest.of(2, request), 0, answer);
    return answer.tokens();
  }

  private int foundAfterwards(DiskKvTierBuilder builder, Request request) throws IOException {
    try (DiskKvTier tier = open(builder)) {
      return found(tier, request);
    }
  }

  private List<Path> blockFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".kv")).toList();
    }
  }

  @Test
  void shouldFindWholeBlocksOfEqualBeginnings() throws IOException {
    final DiskKvTierStats stats = saveAll(builder(folder), request(0, 10).build());

    assertThat(stats.saved()).isEqualTo(2);
    assertThat(stats.bytes()).isEqualTo(2 * FILE_BYTES);
    assertThat(foundAfterwards(builder(folder), request(0, 20).build())).isEqualTo(8);
    assertThat(foundAfterwards(builder(folder), request(1, 20).build())).isZero();
  }

  @Test
  void shouldFindNothingOfAnotherModelLayoutSaltOrAdapter() throws IOException {
    saveAll(builder(folder), request(0, 8).build());

    assertThat(foundAfterwards(builder(folder), request(0, 8).build())).isEqualTo(8);
    assertThat(foundAfterwards(builder(folder).model("n"), request(0, 8).build())).isZero();
    assertThat(foundAfterwards(builder(folder), request(0, 8).cacheSalt("s").build())).isZero();
    assertThat(
            foundAfterwards(builder(folder), request(0, 8).lora(new LoraAdapter(1, "l")).build()))
        .isZero();
    assertThat(
            foundAfterwards(
                builder(folder), request(0, 8).prefixReuse(PrefixReuse.SKIPPED).build()))
        .isZero();
  }

  @Test
  void shouldSaveNothingThatIsNotSureToBeComputed() throws IOException {
    try (DiskKvTier tier = open(builder(folder))) {
      final FakeRequest request = FakeRequest.of(1, request(0, 12).build());
      final FakeSequence table = new FakeSequence(1, 1, 2, 3);

      assertThat(tier.requestFinished(request, table, 12, FinishReason.EXECUTOR_FAILED))
          .isEqualTo(BlockRelease.NOW);
      request.inFlightTokens(5).append(1);
      assertThat(tier.requestFinished(request, table, 12, FinishReason.STOP))
          .isEqualTo(BlockRelease.WHEN_SENT);
    }

    assertThat(foundAfterwards(builder(folder), request(0, 12).build())).isEqualTo(4);
  }

  /** It may be stopped from outside while it loads: its blocks are not there yet. */
  @Test
  void shouldSaveNothingOfARequestThatWasBeingLoaded() throws IOException {
    saveAll(builder(folder), request(0, 4).build());
    try (DiskKvTier tier = open(builder(folder))) {
      final FakeRequest request = FakeRequest.of(2, request(0, 12).build());
      final ExternalTokens answer = new ExternalTokens();
      tier.lookup(request, 0, answer);
      tier.admitted(request, new FakeSequence(1, 1), answer.tokens());

      assertThat(tier.requestFinished(request, new FakeSequence(1, 1, 2, 3), 12, FinishReason.STOP))
          .isEqualTo(BlockRelease.NOW);
    }
  }

  @Test
  void shouldKeepToItsBytesAndGiveUpWhatWasUsedLeastRecently() throws IOException {
    final DiskKvTier tier = open(builder(folder).maxBytes(3 * FILE_BYTES));
    save(tier, request(0, 4).build());
    save(tier, request(100, 4).build());
    save(tier, request(200, 4).build());
    while (tier.stats().saved() < 3) {
      pause();
    }
    final FakeRequest used = FakeRequest.of(3, request(0, 4).build());
    tier.lookup(used, 0, new ExternalTokens());
    tier.requestFinished(used, new FakeSequence(1), 0, FinishReason.ABORTED);

    save(tier, request(300, 4).build());
    tier.close();

    assertThat(tier.stats().evicted()).isEqualTo(1);
    assertThat(blockFiles()).hasSize(3).allSatisfy(file -> assertThat(file).hasSize(FILE_BYTES));
    final DiskKvTierBuilder builder = builder(folder);
    assertThat(foundAfterwards(builder, request(0, 4).build())).as("used").isEqualTo(4);
    assertThat(foundAfterwards(builder, request(100, 4).build())).as("eldest").isZero();
    assertThat(foundAfterwards(builder, request(300, 4).build())).as("newest").isEqualTo(4);
  }

  @Test
  void shouldNotGiveUpWhatARequestWasPromised() throws IOException {
    saveAll(builder(folder), request(0, 4).build());
    final DiskKvTier tier = open(builder(folder).maxBytes(FILE_BYTES));
    assertThat(found(tier, request(0, 4).build())).isEqualTo(4);

    save(tier, request(100, 4).build());
    tier.close();

    assertThat(tier.stats().skippedSaves()).isEqualTo(1);
    assertThat(foundAfterwards(builder(folder), request(0, 4).build())).isEqualTo(4);
  }

  @Test
  void shouldShrinkToASmallerBoundWhenItIsOpened() throws IOException {
    saveAll(builder(folder), request(0, 4).build());
    final Path written = blockFiles().getFirst();
    Files.setLastModifiedTime(written, FileTime.fromMillis(1));
    saveAll(builder(folder), request(100, 8).build());

    open(builder(folder).maxBytes(2 * FILE_BYTES)).close();

    assertThat(blockFiles()).hasSize(2).doesNotContain(written);
  }

  /** Every bit, every length. */
  @Test
  void shouldReadNothingThatWasNotWritten() throws IOException {
    final BlockFiles files = new BlockFiles(folder);
    files.write("a", ByteBuffer.wrap("k".repeat(64).getBytes(StandardCharsets.US_ASCII)));
    final Path file = blockFiles().getFirst();
    final byte[] sound = Files.readAllBytes(file);
    final ByteBuffer target = ByteBuffer.allocate(64);
    files.read("a", target);
    assertThat(target.get(63)).isEqualTo((byte) 'k');

    for (int bit = 0; bit < 8 * sound.length; bit++) {
      final byte[] changed = sound.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, changed);
      assertThatThrownBy(() -> files.read("a", target.clear()))
          .as("bit=%d", bit)
          .isInstanceOf(CorruptBlockException.class);
    }
    for (int length = 0; length <= sound.length + 1; length++) {
      Files.write(file, Arrays.copyOf(sound, length));
      if (length != sound.length) {
        assertThatThrownBy(() -> files.read("a", target.clear()))
            .as("length=%d", length)
            .isInstanceOf(CorruptBlockException.class);
      }
    }
    Files.write(folder.resolve("b.kv"), sound);
    assertThatThrownBy(() -> files.read("b", target.clear()))
        .as("the name of another block")
        .isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void shouldWriteAgainWhatWasCorruptOrIsGone() throws IOException {
    saveAll(builder(folder), request(0, 4).build());
    Files.write(blockFiles().getFirst(), new byte[FILE_BYTES]);
    final DiskKvTierStats corrupt = loadAndSave(request(0, 4).build());
    assertThat(List.of(corrupt.corrupt(), corrupt.saved())).containsOnly(1L);

    try (DiskKvTier tier = open(builder(folder))) {
      Files.delete(blockFiles().getFirst());
      final DiskKvTierStats gone = loadAndSave(tier, request(0, 4).build());
      assertThat(List.of(gone.failedReads(), gone.saved())).containsOnly(1L);
    }

    final DiskKvTierStats whole = loadAndSave(request(0, 4).build());
    assertThat(whole.loaded()).isEqualTo(1);
    assertThat(whole.corrupt() + whole.failedReads() + whole.saved()).isZero();
  }

  /** Between two looks at what another thread does. */
  private static void pause() {
    assertThat(Thread.interrupted()).as("waited too long").isFalse();
    Thread.yield();
  }

  private DiskKvTierStats loadAndSave(Request request) throws IOException {
    try (DiskKvTier tier = open(builder(folder))) {
      return loadAndSave(tier, request);
    }
  }

  /** Loads a block, and ends a request that has computed it. */
  private static DiskKvTierStats loadAndSave(DiskKvTier tier, Request request) {
    final FakeRequest loaded = FakeRequest.of(5, request);
    final ExternalTokens answer = new ExternalTokens();
    tier.lookup(loaded, 0, answer);
    tier.admitted(loaded, new FakeSequence(1, 1), answer.tokens());
    while (tier.stats().loaded() == 0 && tier.stats().blocks() > 0) {
      pause(); // until it is there, or known to be of no use
    }
    if (save(tier, request) == BlockRelease.WHEN_SENT) {
      while (tier.stats().saved() == 0) {
        pause();
      }
    }
    return tier.stats();
  }

  @Test
  void shouldKeepNoMoreBlocksWaitingThanItMay() throws IOException {
    try (DiskKvTier tier = open(builder(folder).maxPendingSaves(2))) {
      assertThat(save(tier, request(0, 12).build())).isEqualTo(BlockRelease.NOW);
      assertThat(tier.stats().skippedSaves()).isEqualTo(3);
      assertThat(save(tier, request(0, 8).build())).isEqualTo(BlockRelease.WHEN_SENT);
    }
  }

  /** Each file call of a save fails once: the block is there whole, or not at all. */
  @Test
  void shouldLeaveNothingOfABlockThatCannotBeWritten() throws IOException {
    for (long call = 1; ; call++) {
      final Path path = Files.createDirectory(folder.resolve("call" + call));
      final FailingCall plan = new FailingCall(call);
      final DiskKvTier tier = open(builder(FaultyFiles.over(path, plan).root()));
      plan.isOn = true;
      save(tier, request(0, 4).build());
      tier.close();
      if (!plan.hasFailed) {
        assertThat(call).as("calls of a save").isGreaterThan(3);
        return;
      }

      final DiskKvTierStats stats = tier.stats();
      assertThat(stats.saved() + stats.failedWrites()).as("call=%d", call).isEqualTo(1);
      try (Stream<Path> files = Files.list(path)) {
        assertThat(files.filter(file -> file.toString().endsWith(".tmp"))).isEmpty();
      }
      assertThat(foundAfterwards(builder(path), request(0, 4).build()))
          .as("call=%d", call)
          .isEqualTo(stats.saved() == 1 ? 4 : 0);
    }
  }

  /** From when it is on, the call of that number fails. */
  private static final class FailingCall implements FilePlan {
    private final long call;
    private long calls;
    private volatile boolean isOn;
    private volatile boolean hasFailed;

    FailingCall(long call) {
      this.call = call;
    }

    @Override
    public FileFault fault(long number, FileCall what, Path path) {
      if (!isOn || ++calls != call || what == FileCall.DELETE) {
        return null;
      }
      hasFailed = true;
      return FileFault.DISK_FULL;
    }
  }

  @Test
  void shouldTouchNoFileOnTheThreadOfTheEngine() throws IOException {
    saveAll(builder(folder), request(0, 8).build());
    final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    final DiskKvTier tier =
        open(
            builder(
                FaultyFiles.over(
                        folder,
                        (number, call, path) -> {
                          threads.add(Thread.currentThread());
                          return null;
                        })
                    .root()));
    threads.clear(); // opened

    final FakeRequest request = FakeRequest.of(2, request(0, 20).build());
    final ExternalTokens answer = new ExternalTokens();
    tier.lookup(request, 0, answer);
    tier.admitted(request, new FakeSequence(1, 1, 2), answer.tokens());
    tier.admitted(request, new FakeSequence(1, 1, 2, 3, 4, 5, 6), 0);
    request.computedTokens(20).append(1);
    tier.requestFinished(request, new FakeSequence(1, 1, 2, 3, 4, 5, 6), 20, FinishReason.LENGTH);
    tier.close();

    assertThat(threads).isNotEmpty().doesNotContain(Thread.currentThread());
    assertThat(tier.stats().saved()).isEqualTo(3);
  }

  @Test
  void shouldBeOneTierToAFolder() throws IOException {
    try (DiskKvTier tier = open(builder(folder))) {
      assertThat(tier.stats().blocks()).isZero();
      assertThatThrownBy(() -> builder(folder).open())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "a folder of KV blocks must be used by one tier at a time: folder="
                  + folder
                  + "; close the other, or give this one a folder of its own");
    }
    builder(folder).open().close();
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    assertRefused(
        builder(folder).model(" "),
        "model must name the weights, so that no other model finds their KV: model=' '");
    assertRefused(
        builder(folder).maxBytes(79),
        "maxBytes must be >= the bytes of a file: maxBytes=79, fileBytes=80");
    assertRefused(
        builder(folder).maxPendingSaves(0), "maxPendingSaves must be >= 1: maxPendingSaves=0");
    final List<KvGroup> groups =
        List.of(new KvGroup.FullAttention(4), new KvGroup.FullAttention(4));
    assertRefused(
        DiskKvTier.builder(
                folder,
                CheckedKvBlocks.open(65, 64),
                KvCacheShape.builder().blockSize(4).blocks(65).groups(groups).build())
            .model("m")
            .maxBytes(1_000),
        "a disk tier needs one group with full attention: groups=" + groups);
  }

  private static void assertRefused(DiskKvTierBuilder builder, String message) {
    assertThatThrownBy(builder::open)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
