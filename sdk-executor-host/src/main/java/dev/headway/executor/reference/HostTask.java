package dev.headway.executor.reference;

/** A piece of work that does not touch what other pieces write. */
@FunctionalInterface
public interface HostTask {

  /**
   * Does the piece.
   *
   * @param worker in [0, workers); no two pieces run with the same one at a time, so it picks
   *     scratch memory
   * @param index which piece
   */
  void run(int worker, int index);
}
