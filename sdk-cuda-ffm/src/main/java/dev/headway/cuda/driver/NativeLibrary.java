package dev.headway.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A shared library that may be missing: either its symbols, or the reason in words.
 *
 * <p>Immutable; any thread. A library that was opened stays loaded until the JVM ends.
 */
public final class NativeLibrary {
  private final String name;
  private final @Nullable SymbolLookup symbols;
  private final String failure;

  private NativeLibrary(String name, @Nullable SymbolLookup symbols, String failure) {
    this.name = name;
    this.symbols = symbols;
    this.failure = failure;
  }

  /**
   * Opens a library; never throws because of what it finds.
   *
   * @param name a path, or a file name such as {@code libcuda.so.1} for the system's loader
   */
  public static NativeLibrary open(String name) {
    try {
      return new NativeLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()), "");
    } catch (IllegalCallerException e) {
      return new NativeLibrary(
          name,
          null,
          "native access must be allowed to load "
              + name
              + ": add --enable-native-access=ALL-UNNAMED to the java command (on the module path:"
              + " --enable-native-access=dev.headway.cuda)");
    } catch (IllegalArgumentException e) {
      return new NativeLibrary(name, null, "cannot load " + name + ": " + loaderText(name));
    }
  }

  /**
   * A library that is not there.
   *
   * @param failure why, in words
   */
  public static NativeLibrary missing(String name, String failure) {
    return new NativeLibrary(name, null, failure);
  }

  /** SymbolLookup hides dlopen's message; System.load, which needs an absolute path, has it. */
  private static String loaderText(String name) {
    if (!Path.of(name).isAbsolute()) {
      return "the system's loader does not find it";
    }
    try {
      System.load(name);
      return "the loader gave no reason";
    } catch (UnsatisfiedLinkError e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** The name it was asked for by. */
  public String name() {
    return name;
  }

  /** Whether it was loaded. */
  public boolean isLoaded() {
    return symbols != null;
  }

  /** Why it was not loaded; empty if it was. */
  public String failure() {
    return failure;
  }

  /** The symbols, or empty if it was not loaded. */
  public Optional<SymbolLookup> symbols() {
    return Optional.ofNullable(symbols);
  }
}
