package dev.headway.cuda.executor;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaGraph;
import dev.headway.cuda.device.CudaStream;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of decode steps, one per batch size and width of the block table. Arguments of a
 * recording are those of the first step of its kind; everything that varies lies in device memory.
 * Device thread only.
 */
final class GraphCache {
  private final int widths;
  private final @Nullable CudaGraph[] graphs;
  private final boolean[] refused;

  GraphCache(int maxNumSeqs, int maxBlocks) {
    widths = 1 + TableWidths.index(maxBlocks);
    graphs = new CudaGraph[(maxNumSeqs + 1) * widths];
    refused = new boolean[graphs.length];
  }

  /**
   * Enqueues {@code work} or its recording. The first step of a kind runs launch by launch, so that
   * the driver has loaded every kernel before it is recorded, and is recorded then.
   */
  void run(CudaStream stream, int size, int tableWidth, Runnable work) {
    final int kind = size * widths + TableWidths.index(tableWidth);
    final CudaGraph graph = graphs[kind];
    if (graph != null) {
      graph.launch(stream);
      return;
    }
    work.run();
    if (!refused[kind]) {
      record(stream, kind, work);
    }
  }

  /** What is enqueued runs whether it can be recorded or not, so that the step goes on. */
  private void record(CudaStream stream, int kind, Runnable work) {
    try {
      graphs[kind] = stream.capture(work);
    } catch (CudaException e) {
      if (e.isSticky()) {
        throw e;
      }
      refused[kind] = true;
    }
  }
}
