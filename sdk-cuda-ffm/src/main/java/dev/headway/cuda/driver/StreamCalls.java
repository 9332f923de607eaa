package dev.headway.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Streams, events and graphs.
 *
 * <p>Each method is the driver function of its name and returns its {@code CUresult}. The context
 * of the calling thread is used; nothing is checked or allocated here.
 */
public final class StreamCalls {
  private static final MethodHandle STREAM_CREATE = DriverFunction.STREAM_CREATE.bind();
  private static final MethodHandle STREAM_DESTROY = DriverFunction.STREAM_DESTROY.bind();
  private static final MethodHandle STREAM_SYNCHRONIZE = DriverFunction.STREAM_SYNCHRONIZE.bind();
  private static final MethodHandle STREAM_QUERY = DriverFunction.STREAM_QUERY.bind();
  private static final MethodHandle STREAM_WAIT_EVENT = DriverFunction.STREAM_WAIT_EVENT.bind();
  private static final MethodHandle STREAM_BEGIN_CAPTURE =
      DriverFunction.STREAM_BEGIN_CAPTURE.bind();
  private static final MethodHandle STREAM_END_CAPTURE = DriverFunction.STREAM_END_CAPTURE.bind();
  private static final MethodHandle GRAPH_INSTANTIATE = DriverFunction.GRAPH_INSTANTIATE.bind();
  private static final MethodHandle GRAPH_UPLOAD = DriverFunction.GRAPH_UPLOAD.bind();
  private static final MethodHandle GRAPH_LAUNCH = DriverFunction.GRAPH_LAUNCH.bind();
  private static final MethodHandle GRAPH_DESTROY = DriverFunction.GRAPH_DESTROY.bind();
  private static final MethodHandle GRAPH_EXEC_DESTROY = DriverFunction.GRAPH_EXEC_DESTROY.bind();
  private static final MethodHandle EVENT_CREATE = DriverFunction.EVENT_CREATE.bind();
  private static final MethodHandle EVENT_DESTROY = DriverFunction.EVENT_DESTROY.bind();
  private static final MethodHandle EVENT_RECORD = DriverFunction.EVENT_RECORD.bind();
  private static final MethodHandle EVENT_QUERY = DriverFunction.EVENT_QUERY.bind();
  private static final MethodHandle EVENT_SYNCHRONIZE = DriverFunction.EVENT_SYNCHRONIZE.bind();
  private static final MethodHandle EVENT_ELAPSED_TIME = DriverFunction.EVENT_ELAPSED_TIME.bind();

  private StreamCalls() {}

  /** Makes a stream and writes its handle; 1 = not ordered with the default stream. */
  public static int cuStreamCreate(MemorySegment stream, int flags) {
    try {
      return (int) STREAM_CREATE.invokeExact(stream, flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Destroys a stream once its work is done. */
  public static int cuStreamDestroy(long stream) {
    try {
      return (int) STREAM_DESTROY.invokeExact(stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Waits for a stream. */
  public static int cuStreamSynchronize(long stream) {
    try {
      return (int) STREAM_SYNCHRONIZE.invokeExact(stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Success if all is done, else {@link CudaResult#NOT_READY}. */
  public static int cuStreamQuery(long stream) {
    try {
      return (int) STREAM_QUERY.invokeExact(stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Makes later work of a stream wait for an event. */
  public static int cuStreamWaitEvent(long stream, long event, int flags) {
    try {
      return (int) STREAM_WAIT_EVENT.invokeExact(stream, event, flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Begins to record; mode 1 = checks this thread only. */
  public static int cuStreamBeginCapture(long stream, int mode) {
    try {
      return (int) STREAM_BEGIN_CAPTURE.invokeExact(stream, mode);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Ends the recording and writes the graph. */
  public static int cuStreamEndCapture(long stream, MemorySegment graph) {
    try {
      return (int) STREAM_END_CAPTURE.invokeExact(stream, graph);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes an executable graph. */
  public static int cuGraphInstantiateWithFlags(MemorySegment executable, long graph, long flags) {
    try {
      return (int) GRAPH_INSTANTIATE.invokeExact(executable, graph, flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Brings an executable graph to the device, which the first launch would do else. */
  public static int cuGraphUpload(long executable, long stream) {
    try {
      return (int) GRAPH_UPLOAD.invokeExact(executable, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Enqueues an executable graph. */
  public static int cuGraphLaunch(long executable, long stream) {
    try {
      return (int) GRAPH_LAUNCH.invokeExact(executable, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Destroys a recording. */
  public static int cuGraphDestroy(long graph) {
    try {
      return (int) GRAPH_DESTROY.invokeExact(graph);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Destroys an executable graph. */
  public static int cuGraphExecDestroy(long executable) {
    try {
      return (int) GRAPH_EXEC_DESTROY.invokeExact(executable);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Makes an event; 2 = without time stamps. */
  public static int cuEventCreate(MemorySegment event, int flags) {
    try {
      return (int) EVENT_CREATE.invokeExact(event, flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Destroys an event. */
  public static int cuEventDestroy(long event) {
    try {
      return (int) EVENT_DESTROY.invokeExact(event);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Puts an event into a stream. */
  public static int cuEventRecord(long event, long stream) {
    try {
      return (int) EVENT_RECORD.invokeExact(event, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Success if it has passed, else {@link CudaResult#NOT_READY}. */
  public static int cuEventQuery(long event) {
    try {
      return (int) EVENT_QUERY.invokeExact(event);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Waits for an event. */
  public static int cuEventSynchronize(long event) {
    try {
      return (int) EVENT_SYNCHRONIZE.invokeExact(event);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes a {@code float} of milliseconds. */
  public static int cuEventElapsedTime(MemorySegment milliseconds, long start, long end) {
    try {
      return (int) EVENT_ELAPSED_TIME.invokeExact(milliseconds, start, end);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
