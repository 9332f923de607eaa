package dev.headway.kvcache;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import java.util.Arrays;

/*
 * Transfers happen in the order of steps: an executor does all saves of a step, then all its loads,
 * then computes, and only then begins with the next step. Hence nothing waits for a transfer, and what
 * could go wrong is a matter of order alone:
 *
 *  - A block is saved when it is taken for other content. What it holds was written by an earlier step,
 *    so it is there when the saves of this step run. A content that this very step is to write is not,
 *    and is not saved.
 *  - A host block that this step saves to or loads from keeps its content until the step is planned:
 *    no other save of this step overwrites it. A later step may, its transfers come later.
 *  - A content can be loaded only when the step that saved it was confirmed. Until then it may turn out
 *    that the save never happened, or saved what a failed step has left behind; it is dropped then.
 *  - A block that is taken again in the step that was to load it is not loaded: its content is still
 *    in the host, and the sequence that takes it writes it.
 *  - The number of a content identifies its tokens and all before them, scope included, as long as
 *    something pins it (see PrefixIndex); a host block does. So a content is found in the host by the
 *    same comparison as on the device.
 */

/**
 * Blocks in host memory that keep what the device gave up, least recently used first: which of them
 * holds which content, and which transfers the step being planned needs.
 *
 * <p>Host blocks are numbered from 0. A content can be in both places at once; a load leaves the
 * host's copy where it is. One thread; allocates only to grow.
 */
final class HostTier {

  private static final int NONE = PrefixIndex.NONE;

  /** The free queue keeps its number 0 for itself. */
  private static final int QUEUE_OFFSET = 1;

  private final PrefixIndex index;
  private final FreeBlocks leastRecent;

  /** By host block. */
  private final int[] contentOf;

  private final long[] savedIn;
  private final long[] plannedIn;

  private final BlockWriters writers;

  private int[] hostOf = {};
  private int used;
  private long step;
  private long confirmed;

  private final IntList saveSources = new IntList();
  private final IntList saveTargets = new IntList();
  private final IntList evictions = new IntList();
  private final PendingLoads loads = new PendingLoads();

  /** Makes an empty tier of {@code hostBlocks} blocks. */
  HostTier(int hostBlocks, PrefixIndex index, BlockWriters writers) {
    this.writers = writers;
    this.index = index;
    leastRecent = new FreeBlocks(hostBlocks + QUEUE_OFFSET);
    contentOf = new int[hostBlocks];
    Arrays.fill(contentOf, NONE);
    savedIn = new long[hostBlocks];
    plannedIn = new long[hostBlocks];
  }

  int blocks() {
    return contentOf.length;
  }

  /** Host blocks with content, those included that a step not yet confirmed saves to. */
  int usedBlocks() {
    return used;
  }

  void beginStep(long stepId) {
    step = stepId;
  }

  /** Every step up to {@code stepId} was answered, or given up and distrusted. */
  void confirm(long stepId) {
    confirmed = Math.max(confirmed, stepId);
  }

  /** The host block to load {@code content} from, or NONE. */
  int find(int content) {
    final int host = hostOf(content);
    return host == NONE || savedIn[host] > confirmed ? NONE : host;
  }

  private int hostOf(int content) {
    return content < hostOf.length ? hostOf[content] : NONE;
  }

  /** Keeps the content of {@code host} at least until the step is planned. */
  void keep(int host) {
    use(host);
  }

  /**
   * The content of {@code host}, kept before, is loaded to {@code device}, a block just taken;
   * returns the content.
   */
  int load(RequestView request, int host, int device) {
    loads.add(request, host, device);
    return contentOf[host];
  }

  /** Block {@code device} is taken for other content: what only it holds is saved if it can be. */
  void leaving(int device) {
    final int content = index.contentOf(device);
    final boolean unwritten = writers.stepOf(device) == step;
    if (unwritten) {
      loads.cancel(device);
    }
    if (index.isTwin(device)) {
      return;
    }
    final int known = hostOf(content);
    if (known != NONE) {
      use(known);
    } else if (!unwritten) {
      save(device, content);
    }
  }

  private void save(int device, int content) {
    final int host = leastRecent.following(0) - QUEUE_OFFSET;
    if (plannedIn[host] == step) {
      return; // all others are planned later still: the content is lost
    }
    if (contentOf[host] != NONE) {
      evictions.add(host);
      forget(host);
    }
    if (hostOf.length < index.contentCapacity()) {
      grow();
    }
    contentOf[host] = content;
    hostOf[content] = host;
    savedIn[host] = step;
    used++;
    index.pin(content);
    use(host);
    saveSources.add(device);
    saveTargets.add(host);
  }

  private void use(int host) {
    plannedIn[host] = step;
    leastRecent.remove(host + QUEUE_OFFSET);
    leastRecent.addLast(host + QUEUE_OFFSET, KvCacheRetention.DEFAULT_PRIORITY);
  }

  /** Hands the transfers of the step over; saves come first. */
  void handOver(KvBlockWork work) {
    for (int i = 0; i < evictions.size(); i++) {
      work.evicted(evictions.get(i));
    }
    for (int i = 0; i < saveSources.size(); i++) {
      work.save(saveSources.get(i), saveTargets.get(i));
    }
    loads.handOver(work);
    evictions.clear();
    saveSources.clear();
    saveTargets.clear();
  }

  /** Drops what steps not yet confirmed save: one of them failed. */
  void dropUnconfirmed() {
    for (int host = 0; host < contentOf.length; host++) {
      if (contentOf[host] != NONE && savedIn[host] > confirmed) {
        drop(host);
      }
    }
  }

  /** Drops everything. */
  void clear() {
    for (int host = 0; host < contentOf.length; host++) {
      if (contentOf[host] != NONE) {
        drop(host);
      }
    }
  }

  private void drop(int host) {
    forget(host);
    leastRecent.remove(host + QUEUE_OFFSET);
    leastRecent.insertAfter(0, host + QUEUE_OFFSET);
  }

  private void forget(int host) {
    final int content = contentOf[host];
    contentOf[host] = NONE;
    hostOf[content] = NONE;
    used--;
    index.unpin(content);
  }

  private void grow() {
    final int before = hostOf.length;
    hostOf = Arrays.copyOf(hostOf, index.contentCapacity());
    Arrays.fill(hostOf, before, hostOf.length, NONE);
  }

  /** The content of {@code host}, or NONE. For tests. */
  int contentOf(int host) {
    return contentOf[host];
  }
}
