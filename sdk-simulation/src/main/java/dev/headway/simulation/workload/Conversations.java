package dev.headway.simulation.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives synthetic prompts something to share: a system prompt per group, and earlier turns.
 *
 * <p>Lengths are not touched. A request continues an open conversation only if its prompt, as
 * drawn, has room for that conversation's last prompt and answer; it carries a system prompt only
 * if it is longer than that. So the lengths keep their distribution, and the shares that result are
 * below the shares asked for.
 *
 * <p>A continued prompt repeats the whole last prompt. Its answer comes back as text that only the
 * engine knows, hence as tokens that nothing has cached.
 */
final class Conversations {
  /** As in vLLM's default cache; system prompts are a multiple of it. */
  static final int BLOCK_TOKENS = 16;

  private static final int MAX_OPEN = 256;
  private static final int[] NO_BLOCKS = {};

  private final SyntheticWorkload.Sharing sharing;
  private final RandomStream systemRandom;
  private final RandomStream turnRandom;
  private final List<Conversation> open = new ArrayList<>();
  private int oldest;
  private int nextBlockId;

  Conversations(SyntheticWorkload.Sharing sharing, long seed) {
    this.sharing = sharing;
    this.systemRandom = RandomStream.of(seed, "system prompt");
    this.turnRandom = RandomStream.of(seed, "turn");
    this.nextBlockId = sharing.systemPrompts() * systemBlocks();
  }

  /** The request with its blocks, and with the tenant of the conversation that it continues. */
  WorkloadRequest place(WorkloadRequest request) {
    final int group = drawSystemPrompt(request.inputTokens());
    final Conversation continued = drawContinued(request);
    if (continued != null) {
      return continued.continueWith(request);
    }
    final int[] systemIds = systemIds(group);
    if (sharing.continuedShare() == 0) {
      return withBlocks(request, systemIds, request.tenant());
    }
    final Conversation started = new Conversation(systemIds, request.tenant());
    remember(started);
    return started.continueWith(request);
  }

  private int systemBlocks() {
    return sharing.systemPromptTokens() / BLOCK_TOKENS;
  }

  /**
   * The group, or -1; takes two numbers in any case, so that later requests do not depend on it.
   */
  private int drawSystemPrompt(int inputTokens) {
    final boolean wanted = systemRandom.nextDouble() < sharing.systemPromptShare();
    final int group = systemRandom.nextInt(Math.max(1, sharing.systemPrompts()));
    return wanted && inputTokens > sharing.systemPromptTokens() ? group : -1;
  }

  private int[] systemIds(int group) {
    if (group < 0) {
      return NO_BLOCKS;
    }
    final int[] ids = new int[systemBlocks()];
    Arrays.setAll(ids, i -> group * ids.length + i);
    return ids;
  }

  private @Nullable Conversation drawContinued(WorkloadRequest request) {
    final boolean wanted = turnRandom.nextDouble() < sharing.continuedShare();
    final long choice = turnRandom.nextLong();
    final List<Conversation> ready =
        wanted ? open.stream().filter(c -> c.isReadyFor(request)).toList() : List.of();
    return ready.isEmpty() ? null : ready.get(Mixing.bounded(choice, ready.size()));
  }

  private void remember(Conversation started) {
    if (open.size() < MAX_OPEN) {
      open.add(started);
    } else {
      open.set(oldest, started);
      oldest = (oldest + 1) % MAX_OPEN;
    }
  }

  private static WorkloadRequest withBlocks(
      WorkloadRequest request, int[] ids, @Nullable String tenant) {
    return new WorkloadRequest(
        request.requestId(),
        request.arrivalNs(),
        request.inputTokens(),
        request.outputTokens(),
        ids,
        ids.length == 0 ? 0 : BLOCK_TOKENS,
        tenant,
        request.priority());
  }

  /** The blocks of the last prompt and what the next one must have room for. */
  private final class Conversation {
    private final @Nullable String tenant;
    private int[] blockIds;
    private int contextTokens;
    private long lastArrivalNs;

    Conversation(int[] systemIds, @Nullable String tenant) {
      this.blockIds = systemIds;
      this.tenant = tenant;
    }

    boolean isReadyFor(WorkloadRequest request) {
      return contextTokens < request.inputTokens()
          && request.arrivalNs() - lastArrivalNs >= sharing.turnGapNs();
    }

    WorkloadRequest continueWith(WorkloadRequest request) {
      final int known = blockIds.length;
      blockIds = Arrays.copyOf(blockIds, Math.ceilDiv(request.inputTokens(), BLOCK_TOKENS));
      for (int i = known; i < blockIds.length; i++) {
        blockIds[i] = nextBlockId;
        nextBlockId = Math.incrementExact(nextBlockId);
      }
      contextTokens = request.inputTokens() + request.outputTokens();
      lastArrivalNs = request.arrivalNs();
      return withBlocks(request, blockIds, tenant);
    }
  }
}
