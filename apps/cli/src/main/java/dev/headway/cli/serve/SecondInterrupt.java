package dev.headway.cli.serve;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Ends the process at once at the next Ctrl-C, while its end is under way. The JDK reports a second
 * one only through {@code sun.misc.Signal}, which is looked up by name: where it is missing, a
 * second Ctrl-C has no effect.
 */
final class SecondInterrupt {

  private static final int EXIT_CODE = 130; // of a program that SIGINT has ended

  private SecondInterrupt() {}

  /** Returns whether the JDK will report it. */
  static boolean endsAtOnce() {
    try {
      final Class<?> signal = Class.forName("sun.misc.Signal");
      final Class<?> handler = Class.forName("sun.misc.SignalHandler");
      final InvocationHandler halt =
          (proxy, method, arguments) -> {
            if (method.getName().equals("handle")) {
              Runtime.getRuntime().halt(EXIT_CODE);
            }
            return null;
          };
      signal
          .getMethod("handle", signal, handler)
          .invoke(
              null,
              signal.getConstructor(String.class).newInstance("INT"),
              Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, halt));
      return true;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return false;
    }
  }
}
