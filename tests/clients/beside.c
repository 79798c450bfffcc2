/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for NVIDIA libraries that clients want to open; it is built once under the name of
 * each. The video decoder, libnvcuvid.so.1, belongs to the driver: GStreamer has CUDA elements only
 * with it. Here it decodes nothing, and every function returns an error. The compiler, libnvrtc.so,
 * belongs to the toolkit: hashcat lists CUDA devices, and libgpuarray starts, only with it. Here it
 * compiles nothing, and every function returns an error, except for those that report the version
 * and the text of an error. The runtime, libcudart.so, does not work on the mock; numba only asks
 * it for its version.
 */
enum { NOT_SUPPORTED = 801, INTERNAL_ERROR = 11 };

#define REFUSE(code, name) \
    int name(void);        \
    int name(void)         \
    {                      \
        return code;       \
    }

REFUSE(NOT_SUPPORTED, cuvidCreateDecoder)
REFUSE(NOT_SUPPORTED, cuvidCreateVideoParser)
REFUSE(NOT_SUPPORTED, cuvidCtxLock)
REFUSE(NOT_SUPPORTED, cuvidCtxLockCreate)
REFUSE(NOT_SUPPORTED, cuvidCtxLockDestroy)
REFUSE(NOT_SUPPORTED, cuvidCtxUnlock)
REFUSE(NOT_SUPPORTED, cuvidDecodePicture)
REFUSE(NOT_SUPPORTED, cuvidDestroyDecoder)
REFUSE(NOT_SUPPORTED, cuvidDestroyVideoParser)
REFUSE(NOT_SUPPORTED, cuvidGetDecoderCaps)
REFUSE(NOT_SUPPORTED, cuvidMapVideoFrame64)
REFUSE(NOT_SUPPORTED, cuvidParseVideoData)
REFUSE(NOT_SUPPORTED, cuvidUnmapVideoFrame64)

REFUSE(INTERNAL_ERROR, nvrtcAddNameExpression)
REFUSE(INTERNAL_ERROR, nvrtcCompileProgram)
REFUSE(INTERNAL_ERROR, nvrtcCreateProgram)
REFUSE(INTERNAL_ERROR, nvrtcDestroyProgram)
REFUSE(INTERNAL_ERROR, nvrtcGetLoweredName)
REFUSE(INTERNAL_ERROR, nvrtcGetPTX)
REFUSE(INTERNAL_ERROR, nvrtcGetPTXSize)
REFUSE(INTERNAL_ERROR, nvrtcGetProgramLog)
REFUSE(INTERNAL_ERROR, nvrtcGetProgramLogSize)

const char *nvrtcGetErrorString(int code);
const char *nvrtcGetErrorString(int code)
{
    return code ? "nvrtc refuses: it is a stand-in" : "success";
}

int nvrtcVersion(int *major, int *minor);
int nvrtcVersion(int *major, int *minor)
{
    *major = 11;
    *minor = 2;
    return 0;
}

int cudaRuntimeGetVersion(int *version);
int cudaRuntimeGetVersion(int *version)
{
    *version = 11020;
    return 0;
}
