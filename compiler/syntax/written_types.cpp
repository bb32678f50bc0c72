// See written_types.h.
#include "written_types.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace charcoal::syntax {

// The function type to which an object's type leads, if its only parameter is a pointer to this structure.
static const FunctionProtoType *leadsTo(QualType type, llvm::StringRef record) {
  const auto *pointer = type->getAs<PointerType>();
  const auto *function = pointer ? pointer->getPointeeType()->getAs<FunctionProtoType>() : nullptr;
  if (!function || function->getNumParams() != 1)
    return nullptr;
  const auto *parameter = function->getParamType(0)->getAs<PointerType>();
  const RecordDecl *object = parameter ? parameter->getPointeeType()->getAsRecordDecl() : nullptr;
  return object && object->getName() == record ? function : nullptr;
}

std::string asEvent(QualType type) {
  const auto *pointer = type->getAs<PointerType>();
  const auto *function = pointer ? pointer->getPointeeType()->getAs<FunctionProtoType>() : nullptr;
  const auto *result = function ? function->getReturnType()->getAs<PointerType>() : nullptr;
  const RecordDecl *tag = result ? result->getPointeeType()->getAsRecordDecl() : nullptr;
  if (!tag || tag->getName() != "ch_event_tag")
    return "";
  std::string text;
  for (QualType value : function->param_types())
    text += (text.empty() ? "" : ", ") + written(value);
  return "event(" + text + ")";
}

static const struct {
  const char *record, *word;
} objects[] = {{"ch_rendezvous", "rendezvous"}, {"ch_channel", "channel"},           {"ch_future", "future"},
               {"ch_broadcast", "broadcast"},   {"ch_subscription", "subscription"}, {"ch_watched", "watch"}};

std::string asInsides(QualType type) {
  const auto *pointer = type->getAs<PointerType>();
  const RecordDecl *record = pointer ? pointer->getPointeeType()->getAsRecordDecl() : nullptr;
  for (const auto &one : objects)
    if (record && record->getName() == one.record)
      return one.word;
  return "";
}

std::string asObject(QualType type) {
  const ArrayType *array = type->getAsArrayTypeUnsafe();
  if (!array)
    return "";
  for (const auto &one : objects)
    if (const FunctionProtoType *function = leadsTo(array->getElementType(), one.record)) {
      const QualType of = function->getReturnType();
      return std::string(one.word) + "(" + (of->isVoidType() ? "" : written(of)) + ")";
    }
  return "";
}

QualType withoutTypeof(QualType type) {
  for (;;)
    if (const auto *one = dyn_cast<TypeOfType>(type.getTypePtr()))
      type = one->desugar().withCVRQualifiers(type.getCVRQualifiers());
    else if (const auto *one = dyn_cast<TypeOfExprType>(type.getTypePtr()))
      type = one->desugar().withCVRQualifiers(type.getCVRQualifiers());
    else
      return type;
}

std::string written(QualType type) {
  for (std::string text : {asEvent(type), asObject(type)})
    if (!text.empty())
      return text;
  type = withoutTypeof(type);
  const auto *pointer = dyn_cast<PointerType>(type.getTypePtr());
  if (!pointer || pointer->getPointeeType()->isFunctionType())
    return type.getAsString();
  const std::string to = written(pointer->getPointeeType());
  return to + (to.back() == '*' ? "*" : " *");
}

} // namespace charcoal::syntax
