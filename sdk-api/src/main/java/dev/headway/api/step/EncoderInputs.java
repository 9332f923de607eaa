package dev.headway.api.step;

/**
 * The items that the executor's encoder computes before the step's tokens, and the outputs that it
 * can drop.
 *
 * <p>An output is needed until a later plan drops it: other steps and other requests read it by its
 * hash. What an entry computes of an item that is not listed for it was listed before. An executor
 * that lacks an output fails the entry. What a step drops goes also where the step is refused or
 * fails; the next plan lists it again. Drop first, then encode: an item that is listed is encoded
 * also where its output is still there.
 *
 * <p>A reusable view, part of a {@link StepPlan} and valid as long. Reading allocates nothing.
 */
public interface EncoderInputs {

  /** Those of a plan without an encoder. */
  EncoderInputs NONE =
      new EncoderInputs() {
        @Override
        public int total() {
          return 0;
        }

        @Override
        public int embeddings() {
          return 0;
        }

        @Override
        public int count(int entry) {
          return 0;
        }

        @Override
        public int item(int entry, int index) {
          throw new IndexOutOfBoundsException("the plan has no items: index=" + index);
        }

        @Override
        public int droppedCount() {
          return 0;
        }

        @Override
        public String dropped(int index) {
          throw new IndexOutOfBoundsException("the plan drops no items: index=" + index);
        }
      };

  /** Items of all entries. */
  int total();

  /** Whether no entry has any; outputs may be dropped all the same. */
  default boolean isEmpty() {
    return total() == 0;
  }

  /** Embeddings of all of them. */
  int embeddings();

  /** Items to encode for an entry, >= 0. */
  int count(int entry);

  /**
   * Returns which item of the request is number {@code index}, in [0, count), of those to encode
   * for the entry: its place in {@code request.items()}.
   */
  int item(int entry, int index);

  /** Outputs to drop. */
  int droppedCount();

  /** The hash of one of them, in [0, droppedCount). */
  String dropped(int index);
}
