package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaGraph;
import dev.headway.cuda.device.CudaStream;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of decode steps, one per batch size. Arguments of a recording are those of the first
 * step of its size; everything that varies lies in device memory. Device thread only.
 */
final class GraphCache {
  private final @Nullable CudaGraph[] bySize;

  GraphCache(int maxNumSeqs) {
    bySize = new CudaGraph[maxNumSeqs + 1];
  }

  /**
   * Enqueues {@code work} or its recording. The first step of a size runs launch by launch, so that
   * the driver has loaded every kernel before it is recorded, and is recorded then.
   */
  void run(CudaStream stream, int size, Runnable work) {
    final CudaGraph graph = bySize[size];
    if (graph != null) {
      graph.launch(stream);
      return;
    }
    work.run();
    bySize[size] = stream.capture(work);
  }
}
