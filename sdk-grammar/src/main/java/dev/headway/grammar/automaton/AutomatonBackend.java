package dev.headway.grammar.automaton;

import dev.headway.api.request.Grammar;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.GrammarLimits;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.network.Language;
import dev.headway.grammar.network.TokenTrie;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Compiles constraints in plain Java: JSON schemas, any JSON object, regular expressions, choices.
 *
 * <p>What is compiled is kept by its text, the latest used first, so that the grammars of equal
 * constraints share what is known about their vocabulary. They wait for each other while a mask is
 * made: let engines that run side by side have a backend each.
 *
 * <p>JSON is written as models are used to write it, and in no other way: one blank or none behind
 * {@code :} and {@code ,}, no other white space, members in the order of the schema, keys and
 * constants without escapes that are not needed.
 */
public final class AutomatonBackend implements GrammarBackend {

  private static final long KEEP_ALIVE_S = 60;

  private final TokenTrie trie;
  private final GrammarLimits limits;
  private final LanguageCache cache;
  private final ThreadPoolExecutor threads;

  private AutomatonBackend(Builder builder) {
    this.trie = TokenTrie.of(builder.vocabulary);
    Networks.load();
    this.limits = builder.limits;
    this.cache = new LanguageCache(limits.maxCached());
    this.threads =
        new ThreadPoolExecutor(
            builder.threads,
            builder.threads,
            KEEP_ALIVE_S,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(builder.queued),
            Thread.ofPlatform().daemon().name("headway-grammar-", 0).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /** Starts a backend for a vocabulary. */
  public static Builder builder(Vocabulary vocabulary) {
    return new Builder(vocabulary);
  }

  @Override
  public CompletionStage<Grammar> compile(Constraint constraint) {
    final Language known = cache.get(constraint);
    if (known != null) {
      return CompletableFuture.completedFuture(new LanguageGrammar(known));
    }
    final CompletableFuture<Grammar> made = new CompletableFuture<>();
    try {
      threads.execute(new Compilation(constraint, made));
    } catch (RejectedExecutionException e) {
      made.completeExceptionally(
          threads.isShutdown()
              ? closed()
              : new ConstraintException(
                  Kind.BUSY,
                  "",
                  "constraints that wait for a compiler must be no more than its queue holds:"
                      + " waiting="
                      + threads.getQueue().size()));
    }
    return made;
  }

  private static ConstraintException closed() {
    return new ConstraintException(
        Kind.BUSY, "", "the grammar backend must be open: it was closed");
  }

  /** What waits for a thread, or is on one. */
  private final class Compilation implements Runnable {

    private final Constraint constraint;
    private final CompletableFuture<Grammar> made;

    Compilation(Constraint constraint, CompletableFuture<Grammar> made) {
      this.constraint = constraint;
      this.made = made;
    }

    @Override
    public void run() {
      if (!made.isDone()) { // else it is not waited for
        compile(constraint, made);
      }
    }
  }

  private void compile(Constraint constraint, CompletableFuture<Grammar> made) {
    try {
      Language language = cache.get(constraint);
      if (language == null) {
        final Language compiled =
            new Language(
                Networks.of(constraint, limits, trie.bytes()), trie, limits.maxMaskBytes());
        compiled.warm(); // the first mask costs most
        language = cache.put(constraint, compiled);
      }
      made.complete(new LanguageGrammar(language));
    } catch (Throwable e) { // a request waits for it
      made.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    for (Runnable waiting : threads.shutdownNow()) {
      if (waiting instanceof Compilation compilation) {
        compilation.made.completeExceptionally(closed());
      }
    }
  }

  /** Collects the options of an {@link AutomatonBackend}. Not thread-safe. */
  public static final class Builder {

    private static final int MOST_THREADS = 256;

    private final Vocabulary vocabulary;
    private GrammarLimits limits = GrammarLimits.DEFAULT;
    private int threads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
    private int queued = 256;

    private Builder(Vocabulary vocabulary) {
      this.vocabulary = vocabulary;
    }

    /** What a constraint may cost; {@link GrammarLimits#DEFAULT} unless set. */
    public Builder limits(GrammarLimits limits) {
      this.limits = limits;
      return this;
    }

    /** How many threads compile, in [1, 256]; half of the processors, at most 4, unless set. */
    public Builder threads(int threads) {
      require("threads", threads, MOST_THREADS);
      this.threads = threads;
      return this;
    }

    /** How many constraints may wait for a thread, >= 1; 256 unless set. */
    public Builder queued(int queued) {
      require("queued", queued, Integer.MAX_VALUE);
      this.queued = queued;
      return this;
    }

    private static void require(String name, int value, int most) {
      if (value < 1 || value > most) {
        throw new IllegalArgumentException(
            name + " must be in [1, " + most + "]: " + name + "=" + value);
      }
    }

    /**
     * Sorts the vocabulary, and loads what compilers need so that no constraint has to pay for it:
     * some tenths of a second for 128,000 tokens.
     */
    public AutomatonBackend build() {
      return new AutomatonBackend(this);
    }
  }
}
