package dev.headway.simulation.fit;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.toolbox.csv.CsvReader;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.commons.csv.CSVRecord;

/**
 * Steps that were timed, of one model on one device, in the order in which they ran. What says
 * nothing of a step's time is left out and counted. Bounded memory: beyond {@link #MOST_STEPS}
 * every second step is left out, then every second of the rest. Not thread-safe.
 */
public final class RecordedSteps {

  /** Most steps that are kept: 40 MB. */
  public static final int MOST_STEPS = 250_000;

  private static final String FIRST = "first_of_kind";
  private static final String LONGEST = "decode_context_max";
  private static final String SAVED = "kv_saved_blocks";
  private static final String LOADED = "kv_loaded_blocks";
  private static final String EXPERTS = "activated_experts";
  private static final int FIELDS = 20;

  /** Of its forward pass that a step may seem to be shorter: clocks and threads are no better. */
  private static final double LEAST_OF_FORWARD = 0.95;

  private final String label;
  private final Map<Omission, Integer> omitted = new EnumMap<>(Omission.class);
  private long[] fields = new long[FIELDS * 64];
  private int size;
  private int every = 1;
  private long offered;
  private boolean hasForward = true;
  private boolean latestMayBeLate;
  private final SortedSet<Integer> classEnds = new TreeSet<>();
  private final SortedSet<String> models = new TreeSet<>();

  /** How a step is to the ones beside it. */
  private enum Neighbours {
    /** It ran alone, and its forward pass is part of its time. */
    APART,
    /**
     * Another step was in flight. From one output to the next may be less than the forward pass of
     * a step, if the engine was late to notice the first of them.
     */
    OVERLAP
  }

  /** Why a row is left out. */
  public enum Omission {
    /** Among the first of its run. */
    WARM_UP("warm-up"),
    /** The engine had nothing to do after it, so that its end is not known. */
    NO_NEXT_STEP("no next step"),
    /** It made what later steps like it find made, as its executor says. */
    FIRST_OF_KIND("first of its kind"),
    /**
     * Its output, or that of the step before while it was in flight, was noticed late: it would
     * have taken less than its own forward pass, or the one before that much more.
     */
    LATE_OUTPUT("output noticed late"),
    /** Requests were preempted before it. */
    PREEMPTION("preemption"),
    /** It does not say which tokens each of its requests had, or which of them decoded. */
    NO_ENTRIES("no entries"),
    /** Its time is not positive. */
    NO_TIME("no time"),
    /** There are more than fit: one in two, four, and so on is kept. */
    THINNED("thinned");

    private final String label;

    Omission(String label) {
      this.label = label;
    }

    /** In words. */
    public String label() {
      return label;
    }

    /** Whether the row is wrong, rather than one that a fit is better without. */
    public boolean isWrong() {
      return this == NO_ENTRIES || this == NO_TIME;
    }
  }

  /**
   * Starts without steps.
   *
   * @param label what was recorded, in a word
   */
  public RecordedSteps(String label) {
    this.label = label;
  }

  /** What was recorded, in a word. */
  public String label() {
    return label;
  }

  /**
   * Adds the steps of a file, plain or gzip.
   *
   * @param file {@code beta.csv} of {@code headway training}, or the folder that has it; or, if its
   *     name ends in {@code .json} or {@code .jsonl}, a scheduling profile or spans as OTLP JSON
   * @throws IOException if it cannot be read, lacks a column, or has something else than a number;
   *     names the file and the line
   */
  public void read(Path file) throws IOException {
    if (file.toString().matches(".*\\.jsonl?(\\.gz)?")) {
      if (ProfileSteps.isProfile(file)) {
        ProfileSteps.read(file, this);
      } else {
        OtlpSteps.read(file, this);
      }
    } else {
      final Path rows = Files.isDirectory(file) ? file.resolve("beta.csv") : file;
      CsvReader.readBy(
          rows,
          columns -> {
            if (!columns.contains("warm_up") || !columns.contains("beta_step_ns")) {
              throw new IOException(
                  rows
                      + " must be a journal's folder, beta.csv of headway training, a scheduling"
                      + " profile or spans in JSON, or measured requests with a column ttft_s");
            }
            return this::add;
          });
      final RecordedTraits traits = RecordedTraits.read(rows.resolveSibling("manifest.json"));
      classEnds.addAll(traits.classEnds());
      models.addAll(traits.models());
    }
  }

  private void add(CSVRecord row) {
    if (Boolean.parseBoolean(row.get("warm_up"))) {
      omit(Omission.WARM_UP, 1);
    } else if (row.isMapped(FIRST) && Boolean.parseBoolean(row.get(FIRST))) {
      omit(Omission.FIRST_OF_KIND, 1);
    } else if (number(row, "preempted_requests") > 0) {
      omit(Omission.PREEMPTION, 1);
    } else if (row.get("beta_step_ns").isEmpty()) {
      omit(Omission.NO_NEXT_STEP, 1);
    } else {
      final StepFeatures features = new StepFeatures();
      features.addPrefills(
          (int) number(row, "n_prefill"),
          number(row, "t_prefill"),
          number(row, "prefill_context_sum"),
          Math.round(2 * Double.parseDouble(row.get("prefill_attention_pairs"))));
      features.addDecodes(
          (int) number(row, "n_decode"),
          number(row, "t_decode"),
          number(row, "decode_context_sum"),
          number(row, "decode_context_square_sum"),
          (int) number(row, "n_spec"));
      features.addLongestDecodeContext(longestDecodeContext(row));
      features.addSampling((int) number(row, "sampling_requests"));
      features.addAdmissions((int) number(row, "n_new"), (int) number(row, "n_resumed"));
      features.addBlocks(number(row, "kv_blocks_read"));
      features.addTransfers(transferred(row, SAVED), transferred(row, LOADED));
      final String forward = row.get("beta_forward_ns");
      add(
          features,
          number(row, "beta_step_ns"),
          forward.isEmpty() ? ABSENT : WholeNumber.parse(forward),
          number(row, "begin_ns"),
          Boolean.parseBoolean(row.get("overlapped")) ? Neighbours.OVERLAP : Neighbours.APART,
          activatedExperts(row));
    }
  }

  /** Files of before they had the column, and executors that do not count, say nothing. */
  private static long activatedExperts(CSVRecord row) {
    return row.isMapped(EXPERTS) && !row.get(EXPERTS).isEmpty() ? number(row, EXPERTS) : ABSENT;
  }

  /** Files of before it had a column have the longest of all: that of decodes without prefills. */
  private static int longestDecodeContext(CSVRecord row) {
    if (row.isMapped(LONGEST)) {
      return (int) number(row, LONGEST);
    }
    return row.isMapped("max_context") && number(row, "prefill_context_sum") == 0
        ? (int) number(row, "max_context")
        : 0;
  }

  /** Files of before they had the column say nothing of transfers. */
  private static int transferred(CSVRecord row, String column) {
    return row.isMapped(column) ? (int) number(row, column) : 0;
  }

  private static long number(CSVRecord row, String column) {
    return WholeNumber.parse(row.get(column));
  }

  /**
   * Adds a step without another one in flight.
   *
   * @param stepNs from its begin to that of the next
   * @param forwardNs of it, the forward pass; {@code ABSENT} if not known
   * @param beginNs when it began
   */
  public void add(StepFeatures step, long stepNs, long forwardNs, long beginNs) {
    add(step, stepNs, forwardNs, beginNs, ABSENT);
  }

  /**
   * As the other one.
   *
   * @param activatedExperts routed experts that computed, summed over the layers; {@code ABSENT} if
   *     not known
   */
  public void add(
      StepFeatures step, long stepNs, long forwardNs, long beginNs, long activatedExperts) {
    add(step, stepNs, forwardNs, beginNs, Neighbours.APART, activatedExperts);
  }

  private void add(
      StepFeatures step,
      long stepNs,
      long forwardNs,
      long beginNs,
      Neighbours neighbours,
      long activatedExperts) {
    final boolean mayBeLate = latestMayBeLate;
    if (neighbours == Neighbours.OVERLAP
        && forwardNs > 0
        && (double) stepNs < LEAST_OF_FORWARD * (double) forwardNs) {
      omit(Omission.LATE_OUTPUT, 1);
      if (mayBeLate) {
        size--;
        omit(Omission.LATE_OUTPUT, 1);
      }
    } else if (stepNs <= 0) {
      omit(Omission.NO_TIME, 1);
    } else if (offered++ % every != 0) {
      omit(Omission.THINNED, 1);
    } else {
      if (size == MOST_STEPS) {
        halve();
      }
      hasForward &= forwardNs > 0 && (neighbours == Neighbours.OVERLAP || forwardNs <= stepNs);
      append(step, stepNs, forwardNs, beginNs, activatedExperts);
      latestMayBeLate = neighbours == Neighbours.OVERLAP;
    }
  }

  private void append(
      StepFeatures step, long stepNs, long forwardNs, long beginNs, long activatedExperts) {
    int at = FIELDS * size++;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, 2 * at);
    }
    fields[at++] = step.prefillRequests();
    fields[at++] = step.prefillTokens();
    fields[at++] = step.prefillContextTokens();
    fields[at++] = step.twicePrefillPairs();
    fields[at++] = step.decodeRequests();
    fields[at++] = step.decodeTokens();
    fields[at++] = step.decodeContextTokens();
    fields[at++] = step.decodeContextSquares();
    fields[at++] = step.draftingRequests();
    fields[at++] = step.samplingRequests();
    fields[at++] = step.newRequests();
    fields[at++] = step.resumedRequests();
    fields[at++] = step.kvBlocks();
    fields[at++] = step.longestDecodeContext();
    fields[at++] = step.savedBlocks();
    fields[at++] = step.loadedBlocks();
    fields[at++] = activatedExperts;
    fields[at++] = stepNs;
    fields[at++] = forwardNs;
    fields[at] = beginNs;
  }

  private void halve() {
    for (int row = 0; 2 * row < size; row++) {
      System.arraycopy(fields, FIELDS * 2 * row, fields, FIELDS * row, FIELDS);
    }
    omit(Omission.THINNED, size / 2);
    size = (size + 1) / 2;
    every *= 2;
  }

  void omit(Omission reason) {
    omit(reason, 1);
  }

  private void omit(Omission reason, int count) {
    latestMayBeLate = false;
    omitted.merge(reason, count, Integer::sum);
  }

  /** How many steps there are. */
  public int size() {
    return size;
  }

  /** The names of the models that were recorded; empty where rows do not say. */
  public SortedSet<String> models() {
    return Collections.unmodifiableSortedSet(models);
  }

  /** How many rows were left out, by reason. */
  public Map<Omission, Integer> omitted() {
    return Collections.unmodifiableMap(omitted);
  }

  /**
   * The most decodes of each class that the executor serves alike, rising; empty if it does not say
   * so.
   */
  SortedSet<Integer> classEnds() {
    return Collections.unmodifiableSortedSet(classEnds);
  }

  /** Whether the forward pass of every step was timed by itself. */
  boolean hasForward() {
    return hasForward;
  }

  /** Makes {@code into} the features of a step. */
  void features(int row, StepFeatures into) {
    int at = FIELDS * row;
    into.begin();
    into.addPrefills((int) fields[at++], fields[at++], fields[at++], fields[at++]);
    into.addDecodes(
        (int) fields[at++], fields[at++], fields[at++], fields[at++], (int) fields[at++]);
    into.addSampling((int) fields[at++]);
    into.addAdmissions((int) fields[at++], (int) fields[at++]);
    into.addBlocks(fields[at++]);
    into.addLongestDecodeContext((int) fields[at++]);
    into.addTransfers((int) fields[at++], (int) fields[at]);
  }

  /**
   * Routed experts that computed in a step, summed over the layers; {@code ABSENT} if not known.
   */
  long activatedExperts(int row) {
    return fields[FIELDS * row + FIELDS - 4];
  }

  /** Tokens that a step computed. */
  long tokens(int row) {
    return fields[FIELDS * row + 1] + fields[FIELDS * row + 5];
  }

  /** From the begin of a step to that of the next. */
  long stepNs(int row) {
    return fields[FIELDS * row + FIELDS - 3];
  }

  /** The forward pass of a step. */
  long forwardNs(int row) {
    return fields[FIELDS * row + FIELDS - 2];
  }

  /** When a step began. */
  long beginNs(int row) {
    return fields[FIELDS * row + FIELDS - 1];
  }
}
