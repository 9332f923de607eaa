package dev.headway.scheduler.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Puts a fault in front of something sound. */
final class Faults {

  /** The answer of a fault that leaves a call to what is sound. */
  static final Object GO_ON = new Object();

  /** Looks at a call, and may change its arguments or answer it. */
  interface Fault {
    Object call(Method method, Object[] arguments);
  }

  private Faults() {}

  static <T> T wrap(Class<T> type, T sound, Fault fault) {
    final Object wrapped =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              final Object answer = fault.call(method, arguments);
              try {
                return answer == GO_ON ? method.invoke(sound, arguments) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(wrapped);
  }

  /** Never makes the calls of this name; they return nothing. */
  static <T> T without(Class<T> type, T sound, String call) {
    return wrap(type, sound, (method, arguments) -> method.getName().equals(call) ? null : GO_ON);
  }
}
